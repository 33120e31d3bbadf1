import { agentToolMessages } from "../../errors/messages/agent-tools.ts";
import { defineTool } from "../define-tool.ts";

/** Asks the user something, through the engine's `ask`. */
export const askUserTool = defineTool({
  name: "ask_user",
  description:
    "Asks the user a question and waits for the answer. Use it when only the user can know or decide something, not for what the workspace tells. The answer may be another one than the options.",
  risk: "read",
  parallel: false,
  timeoutMs: 600_000,
  capabilities: ["user"],
  openWorld: false,
  parameters: {
    type: "object",
    properties: {
      question: { type: "string", minLength: 1, maxLength: 4_000, description: "The question" },
      options: {
        type: "array",
        maxItems: 20,
        items: { type: "string", minLength: 1, maxLength: 500 },
        description: "Answers to choose from",
      },
    },
    required: ["question"],
  },
  describe: ({ question }) => `Ask the user: ${question}`,
  execute: async ({ question, options }, { ask }) => {
    if (ask === undefined) return { success: false, error: agentToolMessages.nobodyToAsk, errorKind: "unavailable" };
    const answer = await ask(question, options);
    if (answer === undefined) return { success: false, error: agentToolMessages.noAnswer };
    return { success: true, output: answer };
  },
});
