import { createEngine, toolsFromModule } from "cofferdam";

const tools = await toolsFromModule(new URL("text-tools.ts", import.meta.url));
console.log(JSON.stringify(tools[0]?.spec));

await using engine = await createEngine({ root: process.argv[2] ?? ".", tools });
const results = await engine.dispatchAll([
  { id: "1", name: "write_file", input: { path: "a.txt", content: "one\ntwo three\nfour\n" } },
  { id: "2", name: "write_file", input: { path: "a.txt", content: "again" } },
  { id: "3", name: "read_file", input: { path: "a.txt", max_lines: 2 } },
  { id: "4", name: "word_count", input: { path: "a.txt" } },
  { id: "5", name: "read_file", input: { max_lines: "many" } },
  { id: "6", name: "submit", input: { summary: "All done" } },
]);
for (const result of results) console.log(result.success ? result.output : result.error);
console.log(results.at(-1)?.metadata);
