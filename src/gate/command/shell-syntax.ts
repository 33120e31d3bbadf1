/*
 * The parser is just-bash's. It keeps the whole tree (words, quotes, here-documents, nested substitutions), is bounded itself,
 * and is the one that the `virtual` backend runs commands with, so that there gate and shell cannot differ. mvdan/sh was the
 * other candidate; `sh-syntax` brings it to JavaScript as a formatter, and its trees hold positions in place of commands and
 * words. How close the parser is to bash itself is what test/gate/command/differential.test.ts checks.
 *
 * Where the tree keeps text that was not parsed (subscripts, arithmetic, extended globs), the text is either plain or opaque.
 */
import { createContext, Script } from "node:vm";
import type { CommandNode, ScriptNode, SimpleCommandNode, StatementNode, WordNode } from "just-bash";

export type { CommandNode, ScriptNode, SimpleCommandNode, StatementNode, WordNode };

/** A part of a word. */
export type WordPart = WordNode["parts"][number];
/** A part of a word of one type. */
export type PartOf<T extends WordPart["type"]> = Extract<WordPart, { readonly type: T }>;
/** A command of one type. */
export type CommandOf<T extends CommandNode["type"]> = Extract<CommandNode, { readonly type: T }>;
/** `NAME=value` in front of a command. */
export type AssignmentNode = SimpleCommandNode["assignments"][number];
/** A redirection. */
export type RedirectionNode = SimpleCommandNode["redirections"][number];
/** What stands between `[[` and `]]`. */
export type ConditionNode = CommandOf<"ConditionalCommand">["expression"];
/** An arithmetic expression. */
export type ArithmeticNode = CommandOf<"ArithmeticCommand">["expression"];
/** What is done to a parameter in `${…}`. */
export type ParameterOperation = NonNullable<PartOf<"ParameterExpansion">["operation"]>;

/**
 * Parses a command line.
 * @throws what just-bash throws, and `ParserBusyError`
 */
export type ParseShell = (text: string) => ScriptNode;

/** The parser has not come to an end in time. */
export class ParserBusyError extends Error {
  override readonly name = "ParserBusyError";
}

/** A line of a hundred thousand characters takes a tenth of that. */
const PARSE_MS = 1_000;

/** Loads the parser, which is large, when the first policy needs it. */
export async function loadShellParser(): Promise<ParseShell> {
  const { parse } = await import("just-bash");
  // There are lines that the parser never comes to the end of, such as `$(( $[`, and it takes ever more memory over them. A
  // script of node:vm is what can be interrupted in this very thread, with all that it calls.
  const context = createContext({ parse, text: "" });
  const script = new Script("parse(text)");
  return (text) => {
    context["text"] = text;
    try {
      // What the script returns is what `parse` returned.
      return script.runInContext(context, { timeout: PARSE_MS }) as ScriptNode;
    } catch (error) {
      if (isTimeout(error)) throw new ParserBusyError("the parser is busy", { cause: error });
      throw error;
    } finally {
      context["text"] = "";
    }
  };
}

/** The error comes from the script's own realm, so that it is no instance of this one's `Error`. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === "object" && error !== null && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
  );
}
