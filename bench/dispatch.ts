/**
 * The whole pipeline of a trivial read tool, against the least that could be done (a compiled Ajv check and a p-queue),
 * against the same tool called through the MCP SDK's client and server over its in-memory transport, and against the
 * invocation of a tool in @openai/agents-core, which has neither gate nor lanes, retries, journal or workspace.
 */

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { invokeFunctionTool, RunContext, tool as agentTool } from "@openai/agents-core";
import { Ajv2020 } from "ajv/dist/2020.js";
import PQueue from "p-queue";
import { Bench } from "tinybench";
import { z } from "zod";
import { createEngine } from "../src/engine.ts";
import { defineTool } from "../src/tools/define-tool.ts";
import { printRatios } from "./print-ratios.ts";

const parameters = {
  type: "object",
  properties: { text: { type: "string" }, times: { type: "integer", minimum: 1, default: 1 } },
  required: ["text"],
  additionalProperties: false,
} as const;

const repeat = ({ text, times }: { readonly text: string; readonly times: number }): string => text.repeat(times);

const directory = await mkdtemp(join(tmpdir(), "cofferdam-bench-"));
await mkdir(join(directory, "root"));
const tool = defineTool({ name: "repeat", description: "Repeats a text", risk: "read", parameters, execute: repeat });
const engine = await createEngine({
  root: join(directory, "root"),
  stateHome: join(directory, "state"),
  tools: [tool],
  maxRepeats: 2_147_483_647,
});

const validate = new Ajv2020({ useDefaults: true }).compile<{ readonly text: string; readonly times: number }>(
  parameters,
);
const queue = new PQueue({ concurrency: 8 });

const server = new McpServer({ name: "bench", version: "1.0.0" });
server.registerTool(
  "repeat",
  {
    description: "Repeats a text",
    inputSchema: z.strictObject({ text: z.string(), times: z.int().min(1).default(1) }),
  },
  async (input) => await Promise.resolve({ content: [{ type: "text" as const, text: repeat(input) }] }),
);
const client = new Client({ name: "bench", version: "1.0.0" });
const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(serverSide), client.connect(clientSide)]);

const agentsDefinition = {
  name: "repeat",
  description: "Repeats a text",
  parameters: z.strictObject({ text: z.string(), times: z.int().min(1).default(1) }),
  execute: repeat,
};
const agentsTool = agentTool(agentsDefinition);
// What ends when its time is over is the nearer counterpart: a dispatch has a time limit too.
const limitedAgentsTool = agentTool({ ...agentsDefinition, timeoutMs: 30_000 });
const runContext = new RunContext();

const bench = new Bench({ name: "dispatch of a trivial read tool", time: 2_000, warmupTime: 500 });
bench
  .add("cofferdam dispatch", async () => {
    const result = await engine.dispatch({ id: "1", name: "repeat", input: { text: "ab" } });
    if (result.output !== "ab") throw new Error(JSON.stringify(result));
  })
  .add("ajv and p-queue alone", async () => {
    const input = { text: "ab" };
    if (!validate(input)) throw new Error("The input is valid");
    const output = await queue.add(async () => await Promise.resolve(repeat(input)));
    if (output !== "ab") throw new Error(output);
  })
  .add("an in-memory MCP call", async () => {
    const result = await client.callTool({ name: "repeat", arguments: { text: "ab" } });
    if (JSON.stringify(result.content) !== '[{"type":"text","text":"ab"}]') throw new Error(JSON.stringify(result));
  })
  .add("a tool invoked by @openai/agents-core, without a gate", async () => {
    const output: unknown = await invokeFunctionTool({ tool: agentsTool, runContext, input: '{"text":"ab"}' });
    if (output !== "ab") throw new Error(String(output));
  })
  .add("the same with a time limit, still without a gate", async () => {
    const output: unknown = await invokeFunctionTool({ tool: limitedAgentsTool, runContext, input: '{"text":"ab"}' });
    if (output !== "ab") throw new Error(String(output));
  });
await bench.run();
printRatios(bench);

await client.close();
await engine[Symbol.asyncDispose]();
await rm(directory, { recursive: true });
