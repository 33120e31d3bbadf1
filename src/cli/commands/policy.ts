import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { newCommand } from "../new-command.ts";
import { policyCheckCommand } from "./policy-check.ts";
import { policyExplainCommand } from "./policy-explain.ts";
import { policyImportCommand } from "./policy-import.ts";
import { policyTestCommand } from "./policy-test.ts";
import { policyTrustCommand } from "./policy-trust.ts";

/** `cofferdam policy`: what the gate goes by. */
export function policyCommand(context: CommandContext): Command {
  const policy = newCommand(context, "policy", {
    summary: "look at what the gate goes by",
    description: "Looks at the policies that the gate goes by.",
    example: "cofferdam policy explain -- npm test",
  });
  const commands = [
    policyExplainCommand,
    policyCheckCommand,
    policyTestCommand,
    policyImportCommand,
    policyTrustCommand,
  ];
  for (const command of commands) policy.addCommand(command(context));
  return policy;
}
