/*
 * The parser is just-bash's. It keeps the whole tree (words, quotes, here-documents, nested substitutions), is bounded itself,
 * and is the one that the `virtual` backend runs commands with, so that there gate and shell cannot differ. mvdan/sh was the
 * other candidate; `sh-syntax` brings it to JavaScript as a formatter, and its trees hold positions in place of commands and
 * words. How close the parser is to bash itself is what test/gate/command/differential.test.ts checks.
 *
 * Where the tree keeps text that was not parsed (subscripts, arithmetic, extended globs), the text is either plain or opaque.
 */
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
 * @throws what just-bash throws. It may never come to an end.
 */
export type ParseShell = (text: string) => ScriptNode;

/** Loads the parser, which is large, when the first policy needs it. */
export async function loadShellParser(): Promise<ParseShell> {
  const { parse } = await import("just-bash");
  return parse;
}
