import type { Tool } from "../../src/contract/tool.ts";

/** A tool as `tools` lists it. It cannot run. */
export const readFileTool: Tool = fakeTool("read_file", "read", "Reads a file.\nMore about it.");

/** Another one. */
export const shellTool: Tool = fakeTool("shell", "exec", "Runs a command \u001B[2J in a.b. It has no network.");

/** One whose input is constrained. */
export const lengthTool: Tool = {
  ...fakeTool("measure", "read", "Measures."),
  parameters: { type: "object", properties: { x: { type: "string", minLength: 1 } } },
};

function fakeTool(name: string, risk: Tool["risk"], description: string): Tool {
  const parameters = { type: "object" } as const;
  const tool: Tool = {
    name,
    description,
    risk,
    parameters,
    timeoutMs: 30_000,
    maxRetries: 0,
    idempotent: false,
    parallel: false,
    capabilities: [],
    tier: "core",
    requiresApproval: false,
    spec: { name, description, parameters },
    copy: () => tool,
    execute: () => undefined,
  };
  return tool;
}
