import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { confirmChanges } from "../confirm-changes.ts";
import type { ConfirmFlags } from "../confirm-changes.ts";
import { landChanges } from "../land-changes.ts";
import { newCommand, withRoot } from "../new-command.ts";

/** `cofferdam land`: pending changes reach the root. */
export function landCommand(context: CommandContext): Command {
  const command = newCommand(context, "land", {
    summary: "apply pending changes to the root, after showing them",
    description:
      "Applies pending changes to the root, all of them or none. On a terminal the diff is shown first and you are asked. Paths are gitignore-style globs relative to the root.",
    example: "cofferdam land 'src/**'",
  });
  return withRoot(command)
    .argument("[path...]", "only these paths")
    .option("--yes", "do not ask: you have looked at the diff")
    .action(async (paths: readonly string[], flags: ConfirmFlags) => {
      await confirmChanges(context, {
        paths,
        flags,
        action: "land",
        label: { label: "Land", hint: "apply them to the root" },
        perform: async (engine, selection) => {
          await landChanges(engine, selection, context.out);
        },
      });
    });
}
