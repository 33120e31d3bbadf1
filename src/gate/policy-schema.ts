import type { ObjectSchema } from "../contract/json-schema.ts";

const EXAMPLES = { type: "array", items: { type: "string" } } as const;

const RULES = {
  type: "array",
  items: {
    anyOf: [
      { type: "string", minLength: 1 },
      {
        type: "object",
        properties: {
          rule: { type: "string", minLength: 1 },
          justification: { type: "string" },
          match: EXAMPLES,
          notMatch: EXAMPLES,
        },
        required: ["rule"],
        additionalProperties: false,
      },
    ],
  },
} as const;

/** The JSON Schema of a policy. A key that nothing enforces is not in it, so that it is refused and never ignored. */
export const POLICY_SCHEMA = {
  type: "object",
  properties: {
    $schema: { type: "string" },
    mode: { type: "string", enum: ["plan", "default", "acceptEdits", "auto", "dontAsk"] },
    include: { type: "array", items: { type: "string", enum: ["stock"] } },
    allow: RULES,
    ask: RULES,
    deny: RULES,
    hide: { type: "array", items: { type: "string", minLength: 1 } },
    workspace: {
      type: "object",
      properties: {
        maxFiles: { type: "integer", minimum: 1 },
        maxMb: { type: "integer", minimum: 1 },
      },
      additionalProperties: false,
    },
    sandbox: {
      type: "object",
      properties: {
        backend: { type: "string", minLength: 1 },
        network: {
          anyOf: [
            { type: "string", enum: ["none"] },
            { type: "array", items: { type: "string", minLength: 1 } },
          ],
        },
        image: { type: "string", minLength: 1 },
        memoryMb: { type: "integer", minimum: 16 },
        pids: { type: "integer", minimum: 2 },
        cpus: { type: "number", exclusiveMinimum: 0 },
        timeoutMs: { type: "integer", minimum: 1, maximum: 600_000 },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
} as const satisfies ObjectSchema;
