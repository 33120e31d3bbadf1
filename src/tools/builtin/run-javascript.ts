import { defineTool } from "../define-tool.ts";
import { toExecutionOutcome } from "../execution-outcome.ts";

/** Runs JavaScript in the sandbox. */
export const runJavascriptTool = defineTool({
  name: "run_javascript",
  description:
    'Runs JavaScript in a sandbox: the body of an async function, so "await" works and "return" gives the result, which must be JSON. "input" is there under that name, and console.log prints. There is no network, and nothing is kept from one call to the next.',
  risk: "exec",
  capabilities: ["commands"],
  openWorld: false,
  destructive: false,
  parameters: {
    type: "object",
    properties: {
      code: { type: "string", minLength: 1, maxLength: 1_000_000, description: "The body of the function" },
      input: { description: 'Any JSON value, for the code to use as "input"' },
    },
    required: ["code"],
  },
  describe: ({ code }) => `Run JavaScript:\n${code}`,
  execute: async ({ code, input }, { sandbox }) =>
    toExecutionOutcome(
      await sandbox.run(input === undefined ? { kind: "javascript", code } : { kind: "javascript", code, input }),
    ),
});
