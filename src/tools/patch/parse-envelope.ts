/**
 * The envelope form (also called V4A), which several models are trained to write: sections between `*** Begin Patch` and
 * `*** End Patch`, hunks without line numbers, `@@ ` before a line that says where to look. Two habits of models are
 * understood: an empty line for a blank line of context, and blank lines between sections. A patch without its end is
 * refused, since what is missing may matter.
 */
import { editToolMessages } from "../../errors/messages/edit-tools.ts";
import type { FilePatch, Hunk, HunkLine, ParsedPatch } from "./file-patch.ts";

/** How a patch of this form begins. */
export const ENVELOPE_START = /^\s*\*\*\* Begin Patch[ \t]*\n/;

/** Reads a patch in the envelope form. */
export function parseEnvelope(text: string): ParsedPatch {
  const lines = text.trim().split("\n");
  if (lines.at(-1)?.trim() !== "*** End Patch") return { ok: false, problem: editToolMessages.noPatchEnd };
  const parser = new EnvelopeParser(lines.slice(0, -1));
  return parser.parse();
}

const SECTION = /^\*\*\* (Add|Update|Delete) File: *(.*\S)\s*$/;
const MOVE = /^\*\*\* Move to: *(.*\S)\s*$/;
const END_OF_FILE = /^\*\*\* End of File\s*$/;
const LINE_KINDS: Readonly<Record<string, HunkLine["kind"]>> = {
  " ": "kept",
  "-": "removed",
  "+": "added",
  "": "kept",
};

class EnvelopeParser {
  readonly #lines: readonly string[];
  /** The first line is the beginning of the envelope. */
  #index = 1;
  #problem: string | undefined;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  parse(): ParsedPatch {
    const files: FilePatch[] = [];
    while (this.#skipBlankLines() && this.#problem === undefined) {
      const [, action, path] = SECTION.exec(this.#current) ?? [];
      if (path === undefined) return { ok: false, problem: this.#strayLine() };
      this.#index += 1;
      if (action === "Add") files.push(this.#readAddition(path));
      else if (action === "Delete") files.push({ action: "delete", path, hunks: [] });
      else files.push(this.#readUpdate(path));
    }
    if (this.#problem !== undefined) return { ok: false, problem: this.#problem };
    if (files.length === 0) return { ok: false, problem: editToolMessages.noSections };
    return { ok: true, files, notes: [] };
  }

  get #current(): string {
    return this.#lines[this.#index] ?? "";
  }

  get #isInSection(): boolean {
    return this.#index < this.#lines.length && !SECTION.test(this.#current);
  }

  #skipBlankLines(): boolean {
    while (this.#index < this.#lines.length && this.#current.trim() === "") this.#index += 1;
    return this.#index < this.#lines.length;
  }

  #strayLine(): string {
    return editToolMessages.strayPatchLine(this.#index + 1, this.#current);
  }

  #readAddition(path: string): FilePatch {
    let content = "";
    for (; this.#isInSection && this.#current.startsWith("+"); this.#index += 1)
      content += `${this.#current.slice(1)}\n`;
    this.#skipBlankLines();
    if (this.#isInSection) this.#problem ??= editToolMessages.addedLine(this.#index + 1);
    return { action: "add", path, content, mode: undefined };
  }

  #readUpdate(path: string): FilePatch {
    const [, to] = MOVE.exec(this.#current) ?? [];
    if (to !== undefined) this.#index += 1;
    const hunks: Hunk[] = [];
    while (this.#isInSection && this.#problem === undefined) {
      if (!this.#skipBlankLines() || !this.#isInSection) break;
      hunks.push(this.#readHunk());
    }
    if (hunks.length === 0 && to === undefined) this.#problem ??= editToolMessages.emptySection(path);
    return { action: "update", path, to, hunks, mode: undefined };
  }

  #readHunk(): Hunk {
    const start = this.#index + 1;
    const anchors: string[] = [];
    for (; this.#isInSection && /^@@(?: |$)/.test(this.#current); this.#index += 1) {
      const anchor = this.#current.slice(3).trimEnd();
      if (anchor !== "") anchors.push(anchor);
    }
    const lines = this.#readLines();
    const isAtEnd = this.#isInSection && END_OF_FILE.test(this.#current);
    if (isAtEnd) this.#index += 1;
    if (lines.length === 0) this.#problem ??= editToolMessages.emptyHunk(start);
    return { lines, oldStart: undefined, anchors, isAtEnd, newEnd: undefined };
  }

  #readLines(): readonly HunkLine[] {
    const lines: HunkLine[] = [];
    let lastWritten = 0;
    for (; this.#isInSection && !this.#current.startsWith("@@") && !END_OF_FILE.test(this.#current); this.#index += 1) {
      const kind = LINE_KINDS[this.#current.slice(0, 1)];
      if (kind === undefined) {
        this.#problem ??= this.#strayLine();
        break;
      }
      lines.push({ kind, text: this.#current.slice(1) });
      if (this.#current !== "") lastWritten = lines.length;
    }
    // Empty lines at the end may be context or only keep sections apart; without them the hunk means the same.
    return lines.slice(0, lastWritten);
  }
}
