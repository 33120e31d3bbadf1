import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { newCommand } from "../new-command.ts";
import { countOf } from "../terminal/count-of.ts";

/** `cofferdam cleanup`: what killed engines left goes. */
export function cleanupCommand(context: CommandContext): Command {
  const command = newCommand(context, "cleanup", {
    summary: "remove what killed engines left behind",
    description:
      "Removes the containers, volumes, control groups and temporary directories whose engine was killed. What a living process owns is left alone. The next run does the same by itself.",
    example: "cofferdam cleanup",
  });
  return command.action(async () => {
    const { containers, volumes } = await context.removeOrphans();
    context.out.write(`Removed ${countOf(containers, "container")} and ${countOf(volumes, "volume")}\n`);
  });
}
