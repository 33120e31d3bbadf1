import type { Command } from "commander";
import { ConfigurationError } from "../../errors/configuration-error.ts";
import { STAT_WITH_JSON } from "../../errors/messages/cli.ts";
import type { CommandContext } from "../command-context.ts";
import { newCommand, withRoot } from "../new-command.ts";
import { selectPaths } from "../select-changes.ts";
import { renderDiffStat } from "../terminal/diff-stat.ts";
import { renderDiff } from "../terminal/render-diff.ts";
import { writeJson } from "../terminal/write-json.ts";

interface DiffFlags {
  readonly root: string;
  readonly stat?: true;
  readonly json?: true;
}

/** `cofferdam diff`: the pending changes, as text. */
export function diffCommand(context: CommandContext): Command {
  const command = newCommand(context, "diff", {
    summary: "show the pending changes as a unified diff",
    description:
      "Shows the pending changes as a unified diff that git apply takes. Paths are gitignore-style globs relative to the root. On a terminal, characters that could drive it are shown as escapes.",
    example: "cofferdam diff 'src/**' --stat",
  });
  return withRoot(command)
    .argument("[path...]", "only these paths")
    .option("--stat", "only how many lines each file gains and loses")
    .option("--json", "the changes and the diff as one JSON object")
    .action(async (paths: readonly string[], flags: DiffFlags) => await diff(context, paths, flags));
}

async function diff(context: CommandContext, paths: readonly string[], flags: DiffFlags): Promise<void> {
  const { out } = context;
  if (flags.stat === true && flags.json === true) throw new ConfigurationError(STAT_WITH_JSON);
  const selection = selectPaths(paths, "show changes of");
  await using engine = await context.openEngine({ root: flags.root });
  const text = await engine.workspace.diff(selection);
  if (flags.json === true) writeJson(out, { changes: await engine.workspace.changes(selection), diff: text });
  else if (flags.stat === true) out.write(renderDiffStat(text, out));
  else out.write(out.isTerminal || out.hasColour ? renderDiff(text, out) : text);
}
