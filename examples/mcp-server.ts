import { createEngine, mcpServer } from "cofferdam";

const root = process.argv[2] ?? ".";
await using files = await mcpServer(
  { name: "files", command: "npx", args: ["mcp-server-filesystem", root] },
  { exclude: ["move_*"], tools: { list_directory: { risk: "read" } } },
);
await using engine = await createEngine({ root, tools: [files] });
const [listed, written] = await engine.dispatchAll([
  { id: "1", name: "mcp__files__list_directory", input: { path: root } },
  { id: "2", name: "mcp__files__write_file", input: { path: "notes.md", content: "" } },
]);
console.log(listed?.output, written?.success);
