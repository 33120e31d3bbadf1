import type { Command } from "commander";
import { bypassLine, bypassSummary } from "../../errors/messages/policy-commands.ts";
import type { CommandContext } from "../command-context.ts";
import { EXIT } from "../exit-code.ts";
import { newCommand, withRoot } from "../new-command.ts";
import { escapeText } from "../terminal/escape-text.ts";
import { writeJson } from "../terminal/write-json.ts";

interface TestFlags {
  readonly root: string;
  readonly json?: true;
}

/** `cofferdam policy test`: holds the policy to its own examples, and to what gets around rules. */
export function policyTestCommand(context: CommandContext): Command {
  const command = newCommand(context, "test", {
    summary: "hold the policy to its examples, and to commands that get around rules",
    description:
      "Holds each rule to its own match and notMatch examples, and the policy to the commands that ship, all of which run more than they seem to. Exits with 1 when it allows one of these.",
    example: "cofferdam policy test",
  });
  return withRoot(command)
    .option("--json", "print one JSON object")
    .action(async ({ root, json }: TestFlags) => {
      // Opening reads the policy, and a rule that is not what its examples say is refused.
      await using engine = await context.openEngine({ root });
      const { testPolicy } = await import("../../gate/stock/test-policy.ts");
      const reports = await testPolicy(async (text) => {
        const call = { id: "test", name: "shell", input: { command: text } };
        return (await engine.policy.explain(call)).effect;
      });
      const allowed = reports.flatMap((report) => report.allowed);
      if (json === true) writeJson(context.out, reports);
      else {
        for (const report of reports) context.out.write(`${bypassLine(report)}\n`);
        for (const text of allowed) context.out.write(`  allowed: ${escapeText(text)}\n`);
        context.out.write(`${bypassSummary(reports)}\n`);
      }
      if (allowed.length > 0) context.setExitCode(EXIT.failure);
    });
}
