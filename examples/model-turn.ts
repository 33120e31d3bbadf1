import { createEngine, toAnthropicToolResult, toAnthropicTools, toToolCall } from "cofferdam";

await using engine = await createEngine({ root: process.argv[2] ?? "." });
const tools = toAnthropicTools(engine.offeredTools);
// With the provider's SDK: await client.messages.create({ model, max_tokens, messages, tools })
const reply = { content: [{ type: "tool_use", id: "call_1", name: "list_files", input: {} }] };
const known = { tools: engine.tools, provider: "anthropic" } as const;
const calls = reply.content.filter((block) => block.type === "tool_use").map((block) => toToolCall(block, known));
const results = (await engine.dispatchAll(calls)).map(toAnthropicToolResult);
console.log(tools.length > 10, JSON.stringify(results));
