import { createEngine, defineTool, coreTools } from "cofferdam";

const wordCount = defineTool({
  name: "word_count",
  description: "Count the words in a file",
  risk: "read",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  execute: async ({ path }, { workspace }) => {
    const text = Buffer.from(await workspace.readFile(path)).toString();
    return `${text.split(/\s+/).filter(Boolean).length} words`;
  },
});

await using engine = await createEngine({ root: process.argv[2] ?? ".", tools: [...coreTools(), wordCount] });
const call = { id: "1", name: "write_file", input: { path: "notes.md", content: "three small words\n" } };
await engine.dispatch(call);
console.log((await engine.dispatch({ id: "2", name: "word_count", input: { path: "notes.md" } })).output);
console.log(await engine.workspace.diff());
const landing = await engine.land();
await engine.undo(landing.id);
