import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { newCommand, withRoot } from "../new-command.ts";
import { escapeText } from "../terminal/escape-text.ts";
import { countChanges, renderChanges } from "../terminal/render-changes.ts";

/** `cofferdam undo`: takes a landing back. */
export function undoCommand(context: CommandContext): Command {
  const command = newCommand(context, "undo", {
    summary: "take a landing back",
    description:
      "Takes a landing back, the last one unless another is named. It refuses when a landed path has changed since, so newer work is never lost.",
    example: "cofferdam undo",
  });
  return withRoot(command)
    .argument("[landing]", "id of the landing, as land printed it")
    .action(async (id: string | undefined, { root }: { readonly root: string }) => {
      await using engine = await context.openEngine({ root });
      const landing = await engine.undo(id);
      context.out.write(`Took back ${escapeText(landing.id)}: ${countChanges(landing.changes)}\n`);
      context.out.write(renderChanges(landing.changes, context.out));
    });
}
