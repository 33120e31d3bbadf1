import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { confirmChanges } from "../confirm-changes.ts";
import type { ConfirmFlags } from "../confirm-changes.ts";
import { newCommand, withRoot } from "../new-command.ts";
import { countChanges, renderChanges } from "../terminal/render-changes.ts";

/** `cofferdam discard`: pending changes are dropped. */
export function discardCommand(context: CommandContext): Command {
  const command = newCommand(context, "discard", {
    summary: "drop pending changes, after showing them",
    description:
      "Drops pending changes for good; the root is not touched. On a terminal the diff is shown first and you are asked. Paths are gitignore-style globs relative to the root.",
    example: "cofferdam discard 'tmp/**' --yes",
  });
  return withRoot(command)
    .argument("[path...]", "only these paths")
    .option("--yes", "do not ask")
    .action(async (paths: readonly string[], flags: ConfirmFlags) => {
      await confirmChanges(context, {
        paths,
        flags,
        action: "discard",
        label: { label: "Discard", hint: "drop them for good" },
        perform: async (engine, selection) => {
          const dropped = await engine.discard(selection);
          context.out.write(`Discarded ${countChanges(dropped)}\n${renderChanges(dropped, context.out)}`);
        },
      });
    });
}
