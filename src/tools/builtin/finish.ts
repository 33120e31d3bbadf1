import { defineTool } from "../define-tool.ts";

/** Ends the agent's run with a result, which the caller finds as `finished` in the metadata. */
export const finishTool = defineTool({
  name: "finish",
  description:
    "Ends your work on the task. Call it once, alone, when everything is done or nothing more can be done, and say what came of it.",
  risk: "read",
  parallel: false,
  capabilities: ["agent"],
  openWorld: false,
  parameters: {
    type: "object",
    properties: {
      result: { type: "string", minLength: 1, description: "What came of the task, for the user" },
    },
    required: ["result"],
  },
  describe: () => "End the run",
  execute: ({ result }, { finish }) => {
    finish(result);
    return { success: true, output: "The run ends here" };
  },
});
