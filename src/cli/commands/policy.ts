import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { newCommand } from "../new-command.ts";
import { policyTrustCommand } from "./policy-trust.ts";

/** `cofferdam policy`: what the gate goes by. */
export function policyCommand(context: CommandContext): Command {
  const policy = newCommand(context, "policy", {
    summary: "look at what the gate goes by",
    description: "Looks at the policies that the gate goes by.",
    example: "cofferdam policy trust",
  });
  return policy.addCommand(policyTrustCommand(context));
}
