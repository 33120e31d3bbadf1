import { providerMessages } from "../../../src/errors/messages/providers.ts";
import type { GeminiSchema } from "../../../src/tools/providers/gemini-form.ts";

/**
 * What a Gemini schema means, as JSON Schema; objects are closed, because Gemini
 * only sends keys that it was shown, and where JSON text is asked for, the object in that text counts.
 */
export function fromGeminiSchema(schema: GeminiSchema): Record<string, unknown> {
  const { type, nullable, anyOf, items, properties, format, ...rest } = schema;
  if (anyOf !== undefined) return { anyOf: anyOf.map(fromGeminiSchema) };
  if (rest.description?.endsWith(`${providerMessages.jsonText}.`) === true) {
    return { type: nullable === true ? ["object", "null"] : "object" };
  }
  const counts = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [
      key,
      /^(?:min|max)(?:Length|Items|Prop)/.test(key) ? Number(value) : value,
    ]),
  );
  const plain = {
    ...counts,
    type: type?.toLowerCase(),
    ...(format === "date-time" ? { format } : {}),
    ...(items === undefined ? {} : { items: fromGeminiSchema(items) }),
    ...(properties === undefined
      ? {}
      : {
          additionalProperties: false,
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, each]) => [name, fromGeminiSchema(each)]),
          ),
        }),
  };
  return nullable === true ? { anyOf: [plain, { type: "null" }] } : plain;
}
