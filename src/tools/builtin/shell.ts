import { defineTool } from "../define-tool.ts";
import { toExecutionOutcome } from "../execution-outcome.ts";

/** Runs a shell command in the sandbox. */
export const shellTool = defineTool({
  name: "shell",
  description:
    "Runs a command with the shell, in a sandbox whose working directory is the workspace (at /workspace). It has no terminal, and no network but the hosts that the user may have allowed, which programs reach through the proxy in $https_proxy. It reads nothing from stdin, and nothing keeps running after it. Each call starts anew: a directory that was changed to or a variable that was set is gone, files stay. The answer is what it printed, stdout before stderr, and its exit code when that is not 0; long output is cut in the middle.",
  risk: "exec",
  capabilities: ["commands"],
  openWorld: false,
  parameters: {
    type: "object",
    properties: {
      command: {
        type: "string",
        minLength: 1,
        maxLength: 100_000,
        description: "The command line, or a script of several lines",
      },
    },
    required: ["command"],
  },
  describe: ({ command }) => `Run ${command}`,
  execute: async ({ command }, { sandbox }) =>
    toExecutionOutcome(await sandbox.run({ kind: "shell", script: command })),
});
