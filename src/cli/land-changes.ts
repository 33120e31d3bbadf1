import type { Engine } from "../contract/engine.ts";
import type { Landing, ReviewedSelection } from "../contract/landing.ts";
import { quoteForShell } from "./quote-for-shell.ts";
import { escapeText } from "./terminal/escape-text.ts";
import type { OutputStream } from "./terminal/output-stream.ts";
import { paint } from "./terminal/output-stream.ts";
import { countChanges, renderChanges } from "./terminal/render-changes.ts";

/** Lands the selected changes and says on `stream` what reached the root, and how to take it back. */
export async function landChanges(
  engine: Engine,
  selection: ReviewedSelection,
  stream: OutputStream,
): Promise<Landing> {
  const landing = await engine.land(selection);
  if (landing.changes.length > 0) {
    stream.write(`Landed ${countChanges(landing.changes)} as ${escapeText(landing.id)}\n`);
    stream.write(hint(stream, "take back", commandLine(engine, "undo", landing.id)));
  }
  if (landing.heldBack.length > 0) {
    stream.write(`Held back ${countChanges(landing.heldBack)}, which landing never applies:\n`);
    stream.write(renderChanges(landing.heldBack, stream));
  }
  return landing;
}

/** How to go on with changes that wait, one line each. */
export function renderNextSteps(engine: Engine, stream: OutputStream): string {
  return [
    hint(stream, "see", commandLine(engine, "diff")),
    hint(stream, "land", commandLine(engine, "land")),
    hint(stream, "discard", commandLine(engine, "discard")),
  ].join("");
}

function hint(stream: OutputStream, what: string, command: string): string {
  return paint(stream, "muted", `  ${`${what}:`.padEnd("take back: ".length)}${command}`) + "\n";
}

function commandLine(engine: Engine, command: string, ...operands: readonly string[]): string {
  const words = ["cofferdam", command, ...operands, "--root", engine.root];
  return escapeText(words.map((word) => quoteForShell(word)).join(" "));
}
