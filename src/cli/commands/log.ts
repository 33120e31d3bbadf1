import { Option } from "commander";
import type { Command } from "commander";
import type { JournalReview } from "../../contract/record.ts";
import { chainBroken, chainIntact, JOURNAL_EMPTY, recordsUnchained } from "../../errors/messages/journal.ts";
import type { CommandContext } from "../command-context.ts";
import { EXIT } from "../exit-code.ts";
import { newCommand, withRoot } from "../new-command.ts";
import { parseCount } from "../options/parse-count.ts";
import { renderRecords } from "../terminal/render-records.ts";
import { writeJson, writeJsonLine } from "../terminal/write-json.ts";

interface LogFlags {
  readonly root: string;
  readonly limit: number;
  readonly json?: true;
  readonly verify?: true;
}

/** `cofferdam log`: what was called, and how it ended. */
export function logCommand(context: CommandContext): Command {
  const command = newCommand(context, "log", {
    summary: "show the calls that were made, and how they ended",
    description:
      "Shows the calls that were made, denied and cancelled ones too, the newest last. Secrets in them are masked. With --verify it checks that no record was changed, added or removed since it was written, and exits with 1 when one was.",
    example: "cofferdam log -n 100 --json | jq 'select(.outcome == \"denied\")'",
  });
  return withRoot(command)
    .option("-n, --limit <count>", "how many calls to show", (text) => parseCount("--limit", text), 20)
    .option("--json", "print one JSON object per line")
    .addOption(new Option("--verify", "check the whole journal instead of showing it").conflicts("limit"))
    .action(async (flags: LogFlags) => await showLog(context, flags));
}

async function showLog(context: CommandContext, flags: LogFlags): Promise<void> {
  await using engine = await context.openEngine({ root: flags.root });
  if (flags.verify === true) verify(context, engine.journal, flags);
  else list(context, engine.journal, flags);
}

function list({ out }: CommandContext, journal: JournalReview, { limit, json }: LogFlags): void {
  const records = journal.recent(limit).toReversed();
  if (json === true) for (const record of records) writeJsonLine(out, record);
  else out.write(records.length === 0 ? `${JOURNAL_EMPTY}\n` : renderRecords(records, out));
}

function verify({ out, setExitCode }: CommandContext, journal: JournalReview, { json }: LogFlags): void {
  const found = journal.verify();
  if (found.status === "broken") setExitCode(EXIT.failure);
  if (json === true) {
    writeJson(out, found);
    return;
  }
  const sentence = found.status === "broken" ? chainBroken(found) : chainIntact(found);
  const unchained = found.unchained === 0 ? "" : `${recordsUnchained(found.unchained)}\n`;
  out.write(`${sentence}\n${unchained}`);
}
