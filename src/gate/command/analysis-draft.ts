import { isNumber, isNumberToBegin, readArithmetic } from "./arithmetic.ts";
import type { CommandAnalysis, CommandPart, OpaquePart, SimpleCommand, VariableAssignment, Word } from "./analysis.ts";

/** Where in the command line something stands. */
export interface Place {
  readonly via: readonly string[];
  readonly line: number;
  /** A shell reads it that may be none but POSIX's. */
  readonly isPosix?: boolean;
}

/** What a part keeps of its place. */
export function originOf({ via, line }: Place): Pick<CommandPart, "via" | "line"> {
  return { via, line };
}

/** More of anything than a person could review. */
export class TooLargeError extends Error {}

const MAX_PARTS = 1_000;
const MAX_DEPTH = 32;
const MAX_DIRECTORIES = 16;

/** Collects the parts of a command line, and what can only be said when all of it was seen. */
export class AnalysisDraft {
  readonly #parts: CommandPart[] = [];
  readonly #functions = new Set<string>();
  /** Variables that got something else than a number. */
  readonly #texts = new Set<string>();
  readonly #arithmetic: { readonly text: string; readonly place: Place }[] = [];
  #directories: readonly string[] | undefined = [""];

  /** @throws TooLargeError when there are too many parts */
  add(part: CommandPart): void {
    if (this.#parts.length >= MAX_PARTS) throw new TooLargeError(`it has more than ${MAX_PARTS} parts`);
    this.#parts.push(part);
  }

  addOpaque(reason: string, place: Place, words?: readonly Word[]): void {
    const part: OpaquePart = { kind: "opaque", reason, ...originOf(place) };
    this.add(words === undefined ? part : { ...part, words });
  }

  defineFunction(name: string): void {
    this.#functions.add(name);
  }

  /** Remembers what a variable may hold; a part is only made of what could change what runs. */
  setVariable({ name, value, isNumber: isCounted }: VariableAssignment): void {
    if (isCounted !== true && (value === undefined || !isNumber(value))) this.#texts.add(name);
  }

  /** Judged at the end, when all values of its variables are known. */
  addArithmetic(text: string, place: Place): void {
    this.#arithmetic.push({ text, place });
  }

  changeDirectory(to: string | undefined): void {
    if (to === undefined || this.#directories === undefined) this.#directories = undefined;
    else {
      const reached = this.#directories.map((from) => (to.startsWith("/") ? to : `${from}/${to}`));
      const all = [...new Set([...this.#directories, ...reached])];
      this.#directories = all.length > MAX_DIRECTORIES ? undefined : all;
    }
  }

  /** @throws TooLargeError when constructs are nested too deeply */
  enter(place: Place, construct: string): Place {
    if (place.via.length >= MAX_DEPTH) throw new TooLargeError(`it is nested more than ${MAX_DEPTH} levels deep`);
    return { ...place, via: [...place.via, construct] };
  }

  finish(): CommandAnalysis {
    for (const { text, place } of this.#arithmetic) {
      const names = readArithmetic(text);
      const isPlain = names?.every((name) => isNumberToBegin(name) && !this.#texts.has(name)) === true;
      if (!isPlain) this.addOpaque("arithmetic evaluates the value of a variable", place);
    }
    const parts = this.#functions.size === 0 ? this.#parts : this.#parts.map((part) => this.#shadow(part));
    return { kind: "analysed", parts, ...(this.#directories === undefined ? {} : { directories: this.#directories }) };
  }

  #shadow(part: CommandPart): CommandPart {
    return part.kind === "command" && this.#functions.has(part.program)
      ? ({ ...part, isShadowed: true } satisfies SimpleCommand)
      : part;
  }
}
