import type { Command } from "commander";
import type { ToolCall } from "../../contract/tool-call.ts";
import { ConfigurationError } from "../../errors/configuration-error.ts";
import { COMMAND_OR_TOOL } from "../../errors/messages/policy-commands.ts";
import type { CommandContext } from "../command-context.ts";
import { newCommand, withRoot } from "../new-command.ts";
import { toScript } from "../quote-for-shell.ts";
import { parseJson } from "../read-input.ts";
import { renderExplanation } from "../terminal/render-explanation.ts";
import { writeJson } from "../terminal/write-json.ts";

interface ExplainFlags {
  readonly root: string;
  readonly json?: true;
  readonly tool?: string;
  readonly input?: string;
}

/** `cofferdam policy explain`: what the policy says of a call, part by part, without running it. */
export function policyExplainCommand(context: CommandContext): Command {
  const command = newCommand(context, "explain", {
    summary: "say what the policy says of a command or a call, and why",
    description:
      "Says what the policy says of a command, part by part: which rule of which file decided, and what would be needed. With --tool and --input it does so for another tool. Nothing is run.",
    example: "cofferdam policy explain -- 'npm test && git push'",
  });
  return withRoot(command)
    .argument("[command...]", "the command, after --; several words are quoted, one is taken as it is")
    .option("--tool <name>", "the tool that is called")
    .option("--input <json>", "the input of the tool")
    .option("--json", "print one JSON object")
    .action(async (words: readonly string[], flags: ExplainFlags) => {
      const call = callOf(words, flags);
      await using engine = await context.openEngine({ root: flags.root });
      const explanation = await engine.policy.explain(call);
      if (flags.json === true) writeJson(context.out, explanation);
      else context.out.write(renderExplanation(explanation, context.out));
    });
}

/** The call that a command line stands for. */
export function callOf(words: readonly string[], { tool, input }: Pick<ExplainFlags, "tool" | "input">): ToolCall {
  const id = "explain";
  const hasCommand = words.length > 0;
  if (tool !== undefined && !hasCommand) return { id, name: tool, input: parseJson(input ?? "{}", "--input") };
  if (tool !== undefined || input !== undefined || !hasCommand) throw new ConfigurationError(COMMAND_OR_TOOL);
  return { id, name: "shell", input: { command: toScript(words) } };
}
