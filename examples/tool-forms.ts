import { BaseTool, createEngine, defineTool } from "cofferdam";
import type { InferInput, ReadContext, WriteContext } from "cofferdam";
import { z } from "zod";

/** Typed input, from a schema of Zod: what its transforms make of the input is what the tool gets. */
const search = defineTool({
  name: "search",
  description: "Search the knowledge base",
  risk: "read",
  parameters: z.object({ query: z.string().trim().min(1), limit: z.int().optional() }),
  execute: ({ query, limit = 3 }) => `Found ${limit} results for '${query}'`,
});

/** No input. */
const health = defineTool({
  name: "health_check",
  description: "Check system health",
  risk: "read",
  execute: () => "System is healthy",
});

const CONFIG = {
  type: "object",
  properties: { key: { type: "string" }, value: { description: "Any JSON value" } },
  required: ["key"],
} as const;

/** Class form: the settings are the object's own. A value of any type can be set. */
class Config extends BaseTool<typeof CONFIG, "read"> {
  readonly name = "config";
  readonly description = "Get or set configuration values";
  override readonly risk = "read";
  override readonly parameters = CONFIG;
  override readonly parallel = false;
  readonly #values = new Map<string, unknown>();

  execute({ key, value }: InferInput<typeof CONFIG>, _context: ReadContext) {
    if (value === undefined) return `${key} = ${JSON.stringify(this.#values.get(key) ?? null)}`;
    this.#values.set(key, value);
    return `Set ${key}`;
  }
}

/** State that the tools of an engine share, and a value that ends the agent's run. */
const submit = defineTool({
  name: "submit",
  description: "Submit the finished work",
  risk: "write",
  parameters: z.object({ summary: z.string() }),
  execute: async ({ summary }, { workspace, state, finish }: WriteContext) => {
    await workspace.writeFile("summary.md", `${summary}\n`);
    state.set("submitted", true);
    finish(summary);
  },
});

const tools = [search, health, new Config(), submit];
await using engine = await createEngine({ root: process.argv[2] ?? ".", tools });
const results = await engine.dispatchAll([
  { id: "1", name: "search", input: { query: " tides " } },
  { id: "2", name: "health_check", input: {} },
  { id: "3", name: "config", input: { key: "depth", value: { metres: 3 } } },
  { id: "4", name: "config", input: { key: "depth" } },
  { id: "5", name: "config", input: {} },
  { id: "6", name: "submit", input: { summary: "All done" } },
]);
for (const result of results) console.log(result.success ? result.output : result.error);
console.log(results.at(-1)?.metadata);
