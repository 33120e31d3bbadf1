import type { Command } from "commander";
import { ruleLeftOut } from "../../errors/messages/policy-commands.ts";
import type { CommandContext } from "../command-context.ts";
import { newCommand } from "../new-command.ts";
import { parseJson, readInput } from "../read-input.ts";
import { escapeText } from "../terminal/escape-text.ts";
import { notify } from "../terminal/notify.ts";

/** `cofferdam policy import`: rules of Claude Code as a policy. */
export function policyImportCommand(context: CommandContext): Command {
  const command = newCommand(context, "import", {
    summary: "translate the permissions of Claude Code's settings",
    description:
      "Reads settings of Claude Code from a file, or from stdin with -, and prints a policy that says the same. What it cannot say is left out and told on stderr.",
    example: "cofferdam policy import .claude/settings.json > cofferdam.json",
  });
  return command.argument("<file>", "the settings, or - for stdin").action(async (file: string) => {
    const settings = parseJson(await readInput(context, file), file);
    const { importClaudeCodeRules } = await import("../../gate/import-rules.ts");
    const { createCommandAnalyser } = await import("../../gate/command/analyse-command.ts");
    const { policy, leftOut } = importClaudeCodeRules(settings, await createCommandAnalyser());
    for (const { rule, reason } of leftOut) notify(context.err, escapeText(ruleLeftOut(rule, reason)));
    context.out.write(`${escapeText(JSON.stringify(policy, undefined, 2), { keep: "lines" })}\n`);
  });
}
