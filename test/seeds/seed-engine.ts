import type { Engine, EngineOptions } from "../../src/contract/engine.ts";
import type { ToolResult } from "../../src/contract/tool-result.ts";
import type { Tool } from "../../src/contract/tool.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";

/** Name and input of a call. */
export type Asked = readonly [name: string, input?: unknown];

/** Runs calls as one batch on an engine of their own. */
export async function answers(
  options: Partial<EngineOptions>,
  ...asked: readonly Asked[]
): Promise<readonly ToolResult[]> {
  await using temporary = await temporaryEngine(options);
  return await askAll(temporary.engine, ...asked);
}

/** The same on an engine that is there. */
export async function askAll(engine: Engine, ...asked: readonly Asked[]): Promise<readonly ToolResult[]> {
  return await engine.dispatchAll(asked.map(([name, input = {}], index) => ({ id: String(index + 1), name, input })));
}

/** A read tool that answers with what a function gives. */
export function readTool(
  name: string,
  execute: () => unknown,
  options: Partial<Pick<Tool, "maxRetries" | "timeoutMs">> = {},
) {
  return defineTool({ name, description: `The tool ${name}`, risk: "read", execute, ...options });
}
