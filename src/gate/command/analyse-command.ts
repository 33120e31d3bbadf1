import type { AnalyseCommand, CommandAnalysis, VariableAssignment, Word } from "./analysis.ts";
import { programName, wordText } from "./analysis.ts";
import { AnalysisDraft, originOf, TooLargeError } from "./analysis-draft.ts";
import type { Place } from "./analysis-draft.ts";
import { builtinEffect } from "./builtins.ts";
import { limitTime } from "./limit-time.ts";
import { loadShellParser } from "./shell-syntax.ts";
import type { ParseShell, ScriptNode } from "./shell-syntax.ts";
import { unwrap } from "./unwrap.ts";
import type { Wrapped } from "./unwrap.ts";
import { walkScript } from "./walk-script.ts";
import type { ResolvedCommand } from "./walk-script.ts";
import { wrapperNamed } from "./wrappers.ts";
import type { Wrapper } from "./wrappers.ts";

/** Loads what is needed to look at command lines. */
export async function createCommandAnalyser(): Promise<AnalyseCommand> {
  const parse = await loadShellParser();
  return limitTime((command) => new Analyser(parse).analyse(command));
}

const MAX_CHARACTERS = 100_000;

/** `$"…"`, of which the parser makes another word than bash when it is empty or within a word; not a `$` at the end of `"…$"`. */
const TRANSLATED_STRING = /\$"[^\s;&|)]/;

class Analyser {
  readonly #parse: ParseShell;
  readonly #draft = new AnalysisDraft();

  constructor(parse: ParseShell) {
    this.#parse = parse;
  }

  analyse(command: string): CommandAnalysis {
    if (command.length > MAX_CHARACTERS) {
      return { kind: "too-large", reason: `it has more than ${MAX_CHARACTERS} characters` };
    }
    try {
      this.#script(command, { via: [], line: 1 });
      return this.#draft.finish();
    } catch (error) {
      if (error instanceof TooLargeError) return { kind: "too-large", reason: error.message };
      // Whatever the parser or the walk stumbled over, such as the depth of the stack, is not understood.
      return { kind: "analysed", parts: [unread({ via: [], line: 1 })] };
    }
  }

  #script(text: string, place: Place): void {
    if (UNUSUAL_CHARACTER.test(text) && HIDDEN_CHARACTER.test(text))
      this.#draft.addOpaque("it holds characters that do not show", place);
    if (TRANSLATED_STRING.test(text))
      this.#draft.addOpaque("bash may read a string for translation differently", place);
    if (place.isPosix === true && ONLY_BASH.test(text))
      this.#draft.addOpaque("another shell than bash may read it differently", place);
    const script = this.#tryParse(text);
    if (script === undefined) this.#draft.add(unread(place));
    else walkScript(script, place, { draft: this.#draft, onCommand: (command, at) => this.#command(command, at) });
  }

  #tryParse(text: string): ScriptNode | undefined {
    try {
      return this.#parse(text);
    } catch {
      return undefined;
    }
  }

  #command(command: ResolvedCommand, place: Place): void {
    const [first, ...args] = command.words;
    if (first === undefined) return;
    if (first.kind === "open") {
      this.#draft.addOpaque("what it runs is only known when it runs", place, command.words);
      return;
    }
    // To a shell that has no keyword `time`, what looks like a program is an option of one.
    if (first.text.startsWith("-")) this.#draft.addOpaque("what it runs begins with a dash", place);
    const wrapper = wrapperNamed(programName(first.text));
    const inner = wrapper === undefined ? undefined : unwrap(wrapper, { ...command, program: first.text, args });
    this.#draft.add({
      kind: "command",
      program: first.text,
      args,
      assignments: command.assignments,
      isTransparent: isTransparent(wrapper, inner),
      isShadowed: false,
      ...originOf(place),
    });
    this.#effect(first.text, args, place);
    if (inner === undefined) return;
    const within = this.#draft.enter(place, inner.label);
    switch (inner.kind) {
      case "none":
        break;
      case "commands":
        for (const words of inner.commands) {
          this.#command({ words, assignments: [...command.assignments, ...(inner.assignments ?? [])] }, within);
        }
        break;
      case "script":
        this.#text(inner.words, inner.label === "bash" ? { ...within, isPosix: false } : { ...within, isPosix: true });
        break;
      case "opaque":
      case "unknown":
        this.#draft.addOpaque(inner.reason, within);
    }
    if (inner.kind === "commands" && inner.directory !== undefined) this.#moveTo(inner.directory);
  }

  #effect(name: string, args: readonly Word[], place: Place): void {
    const effect = builtinEffect(name, args);
    switch (effect.kind) {
      case "none":
        break;
      case "variables":
        for (const assignment of effect.assignments) this.#set(assignment, { place, isExported: effect.isExported });
        break;
      case "directory":
        this.#moveTo(effect.to);
        break;
      case "script":
        this.#text(effect.words, this.#draft.enter(place, name));
        break;
      case "opaque":
        this.#draft.addOpaque(effect.reason, place);
    }
  }

  #set(
    assignment: VariableAssignment,
    { place, isExported }: { readonly place: Place; readonly isExported: boolean },
  ): void {
    this.#draft.setVariable(assignment);
    this.#draft.add({ kind: "assignment", assignment, isExported, ...originOf(place) });
  }

  #moveTo(directory: Word | undefined): void {
    this.#draft.changeDirectory(directory?.kind === "static" ? directory.text : undefined);
  }

  /** Words that a shell puts together and reads as a script. */
  #text(words: readonly Word[], place: Place): void {
    if (words.every((word) => word.kind === "static")) this.#script(words.map(wordText).join(" "), place);
    else this.#draft.addOpaque("the script is only known when it runs", place);
  }
}

/** A wrapper that was understood, and changes nothing else; a shell is one when it is given its script. */
function isTransparent(wrapper: Wrapper | undefined, inner: Wrapped | undefined): boolean {
  if (wrapper === undefined || inner === undefined) return false;
  if (wrapper.form === "shell") return inner.kind === "script";
  return wrapper.isTransparent === true && inner.kind !== "opaque" && inner.kind !== "unknown";
}

function unread(place: Place): Parameters<AnalysisDraft["add"]>[0] {
  const reason = "it cannot be read as a command line";
  return { kind: "opaque", reason, ...originOf(place) };
}

/** Most commands have none, and need no closer look. */
const UNUSUAL_CHARACTER = /[^\t\n\x20-\x7e]/;

/** Control characters but tab and newline, and marks that change how a text looks. */
const HIDDEN_CHARACTER = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** What other shells take for plain words or other operators; text in quotes may look the same. */
const ONLY_BASH =
  /\$['"[]|\{[^\s{}]*(?:,|\.\.)[^{}]*\}|\{\w+\}[<>]|&>|[<>]&[^\d\s-]|\|&|<<<|[<>]\(|\[\[|\bfunction\b|(?<!\$)\(\(|\+=|=\(|\w\[/;
