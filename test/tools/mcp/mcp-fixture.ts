import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DispatchOptions } from "../../../src/contract/event.ts";
import type { ToolResult } from "../../../src/contract/tool-result.ts";
import { approveAll } from "../../../src/testing/reviewers.ts";
import type { McpServer, McpServerOptions } from "../../../src/tools/mcp/mcp-options.ts";
import { mcpServer } from "../../../src/tools/mcp/mcp-server.ts";
import { temporaryEngine } from "../../fixtures/temporary-engine.ts";
import type { EngineOptions } from "../../../src/contract/engine.ts";

const PROGRAM = join(import.meta.dirname, "fixtures", "misbehaving-server.ts");

/** The misbehaving server, an engine that has its tools, and a log of what reached the server. */
export interface McpFixture extends AsyncDisposable {
  readonly server: McpServer;
  call(tool: string, input?: unknown, options?: DispatchOptions): Promise<ToolResult>;
  log(): Promise<readonly string[]>;
}

export interface FixtureOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly server?: McpServerOptions;
  readonly engine?: Partial<EngineOptions>;
}

export async function mcpFixture({
  env = {},
  server: options = {},
  engine = {},
}: FixtureOptions = {}): Promise<McpFixture> {
  const directory = await mkdtemp(join(tmpdir(), "cofferdam-mcp-"));
  const logFile = join(directory, "log");
  const server = await mcpServer(
    { name: "odd", command: process.execPath, args: [PROGRAM], env: { LOG_FILE: logFile, ...env } },
    options,
  ).catch(async (error: unknown) => {
    await rm(directory, { recursive: true });
    throw error;
  });
  const temporary = await temporaryEngine({ tools: [server], reviewer: approveAll, ...engine });
  let id = 0;
  return {
    server,
    call: async (tool, input = {}, dispatchOptions = {}) => {
      id += 1;
      return await temporary.engine.dispatch({ id: String(id), name: `mcp__odd__${tool}`, input }, dispatchOptions);
    },
    log: async () => (await readFile(logFile, "utf8")).trim().split("\n"),
    [Symbol.asyncDispose]: async () => {
      await temporary[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}

/** Whether a process lives; a zombie does not. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    return !/^State:\s+Z/m.test(await readFile(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
