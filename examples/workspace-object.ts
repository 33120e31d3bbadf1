import { createEngine, defineTool, toolsOf } from "cofferdam";

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

/** Tools that share a setting: the object holds it, and the model never sees it. */
class Workspace {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  readonly readFile = defineTool({
    name: "read_text",
    description: "Read a text file",
    risk: "read",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", description: "Path relative to the folder" },
        max_lines: { type: "integer", minimum: 1, default: 200, description: "How many lines to return" },
      },
      required: ["path"],
    },
    execute: async ({ path, max_lines }, { workspace }) => {
      const content = text(await workspace.readFile(`${this.#folder}/${path}`));
      return content.split("\n").slice(0, max_lines).join("\n");
    },
  });

  readonly listFiles = defineTool({
    name: "list_texts",
    description: "List the files in the folder",
    risk: "read",
    execute: async (_input, { workspace }) => {
      const entries = await workspace.readDirectory(this.#folder);
      return entries.map(({ name }) => name);
    },
  });

  readonly writeFile = defineTool({
    name: "write_text",
    description: "Write content to a file",
    risk: "write",
    parameters: {
      type: "object",
      properties: { path: { type: "string" }, content: { type: "string" } },
      required: ["path", "content"],
    },
    execute: async ({ path, content }, { workspace }) => {
      await workspace.writeFile(`${this.#folder}/${path}`, content);
      return "File written successfully";
    },
  });
}

const workspace = new Workspace("notes");
await using engine = await createEngine({ root: process.argv[2] ?? ".", tools: toolsOf(workspace) });
const results = await engine.dispatchAll([
  { id: "1", name: "write_text", input: { path: "a.txt", content: "one\ntwo\nthree\n" } },
  { id: "2", name: "list_texts", input: {} },
  { id: "3", name: "read_text", input: { path: "a.txt", max_lines: 2 } },
  { id: "4", name: "read_text", input: { path: "b.txt" } },
]);
for (const result of results) console.log(result.success ? result.output : result.error);

await using reader = await createEngine({ root: process.argv[2] ?? ".", tools: [workspace.readFile] });
console.log((await reader.dispatch({ id: "5", name: "write_text", input: {} })).success);
