import type { Word } from "./analysis.ts";
import type { ArithmeticNode, ParameterOperation, PartOf, ScriptNode, WordNode, WordPart } from "./shell-syntax.ts";

/** Gets what is found inside of a word, and runs as well. */
export interface WordVisitor {
  readonly onScript: (script: ScriptNode, construct: string) => void;
  readonly onArithmetic: (text: string) => void;
  /** Something in the word may run anything. */
  readonly onOpaque: (reason: string) => void;
}

/** The words that one word of the source stands for: several when it has braces, static ones where nothing is left open. */
export function readWord(node: WordNode, visitor: WordVisitor): readonly Word[] {
  const plain = plainText(node.parts);
  if (plain !== undefined) return [{ kind: "static", text: plain }];
  if (hidesOperators(node.parts)) visitor.onOpaque("a bracket may hide what follows");
  const words = expandBraces(node.parts, visitor);
  // An alternative of nothing at all is no word.
  const written = words.length === 1 ? words : words.filter((parts) => parts.length > 0);
  return written.map((parts) => {
    const draft = newDraft();
    for (const part of parts) readPart(part, draft, { visitor, isQuoted: false });
    return finish(draft);
  });
}

/** The text of a word that is nothing but text, as most are. */
function plainText(parts: readonly WordPart[]): string | undefined {
  const [only] = parts;
  if (only === undefined || parts.length > 1) return undefined;
  if (only.type === "Literal" || only.type === "SingleQuoted") return only.value;
  return only.type === "DoubleQuoted" ? plainText(only.parts) : undefined;
}

/**
 * The parser takes everything up to the bracket that closes as part of a word, `tee a[ && git push` for one command; bash
 * does so in front of a command only.
 */
function hidesOperators(parts: readonly WordPart[]): boolean {
  if (!parts.some((part) => part.type === "Glob" && part.pattern.startsWith("["))) return false;
  return parts.some((part) =>
    /[\s;&|<>()]/.test(part.type === "Glob" ? part.pattern : part.type === "Literal" ? part.value : ""),
  );
}

/** A word that is being put together. */
interface Draft {
  shown: string;
  /** The text so far, and at the end the whole of it unless something was open. */
  start: string;
  glob: string;
  isOpen: boolean;
  isOnlyGlob: boolean;
  count: "one" | "any";
}

function newDraft(): Draft {
  return { shown: "", start: "", glob: "", isOpen: false, isOnlyGlob: true, count: "one" };
}

function finish(draft: Draft): Word {
  const { shown, start, glob, isOpen, isOnlyGlob, count } = draft;
  if (!isOpen) return { kind: "static", text: start };
  return { kind: "open", shown, start, count, ...(isOnlyGlob ? { glob } : {}) };
}

function addText(draft: Draft, text: string): void {
  draft.shown += text;
  draft.glob += text.replaceAll(/[*?[\]\\]/g, "\\$&");
  if (!draft.isOpen) draft.start += text;
}

function addOpen(draft: Draft, shown: string, count: Draft["count"]): void {
  draft.shown += shown;
  draft.isOpen = true;
  draft.isOnlyGlob = false;
  if (count === "any") {
    // What is split off may begin with anything.
    draft.start = "";
    draft.count = "any";
  }
}

interface PartContext {
  readonly visitor: WordVisitor;
  readonly isQuoted: boolean;
}

function readPart(part: WordPart, draft: Draft, context: PartContext): void {
  const count = context.isQuoted ? "one" : "any";
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "Escaped":
      addText(draft, part.value);
      break;
    case "DoubleQuoted":
      for (const inner of part.parts) readPart(inner, draft, { ...context, isQuoted: true });
      break;
    case "TildeExpansion":
      addText(draft, `~${part.user ?? ""}`);
      break;
    case "Glob":
      readGlob(part, draft, context.visitor);
      break;
    case "ParameterExpansion":
      readParameter(part, context.visitor);
      addOpen(draft, `$${part.parameter}`, isList(part.parameter) ? "any" : count);
      break;
    case "CommandSubstitution":
      context.visitor.onScript(part.body, part.legacy ? "`…`" : "$(…)");
      addOpen(draft, "$(…)", count);
      break;
    case "ArithmeticExpansion":
      context.visitor.onArithmetic(arithmeticText(part.expression));
      addOpen(draft, "$((…))", count);
      break;
    case "ProcessSubstitution":
      context.visitor.onScript(part.body, part.direction === "input" ? "<(…)" : ">(…)");
      addOpen(draft, part.direction === "input" ? "<(…)" : ">(…)", "one");
      break;
    case "BraceExpansion":
      // Only one that has more alternatives than are looked at is left here.
      visitBraces(part, context.visitor);
      addOpen(draft, "{…}", "any");
      break;
    default:
      // A part that a later version of the parser knows.
      context.visitor.onOpaque("it holds an expansion that is not understood");
      addOpen(draft, "…", "any");
  }
}

/** `"$@"` and `"${list[@]}"` become several words although they are quoted. */
function isList(parameter: string): boolean {
  return parameter === "@" || parameter.endsWith("[@]");
}

function readGlob({ pattern }: PartOf<"Glob">, draft: Draft, visitor: WordVisitor): void {
  // A bracket that is never closed, as in `[ -f a ]`, is text.
  if (pattern === "[") return addText(draft, pattern);
  if (/[($`]/.test(pattern)) visitor.onOpaque("an extended glob is not looked into");
  draft.shown += pattern;
  draft.glob += pattern;
  draft.isOpen = true;
  draft.count = "any";
}

const SUBSCRIPT = /^[A-Za-z_]\w*\[(?<index>.*)\]$/s;

function readParameter({ parameter, operation }: PartOf<"ParameterExpansion">, visitor: WordVisitor): void {
  const index = SUBSCRIPT.exec(parameter)?.groups?.["index"];
  if (index !== undefined && index !== "@" && index !== "*") visitor.onArithmetic(index);
  else if (index === undefined && !/^(?:\w+|[@*#?$!-])$/.test(parameter)) visitor.onOpaque("a parameter is not plain");
  if (operation !== null) readOperation(operation, visitor);
}

function readOperation(operation: ParameterOperation, visitor: WordVisitor): void {
  const visit = (word: WordNode | null): void => {
    if (word !== null) readWord(word, visitor);
  };
  switch (operation.type) {
    case "DefaultValue":
    case "AssignDefault":
    case "ErrorIfUnset":
    case "UseAlternative":
      visit(operation.word);
      if (operation.type === "AssignDefault") visitor.onOpaque("an expansion sets a variable");
      break;
    case "PatternRemoval":
    case "CaseModification":
      visit(operation.pattern);
      break;
    case "PatternReplacement":
      visit(operation.pattern);
      visit(operation.replacement);
      break;
    case "Substring":
      visitor.onArithmetic(arithmeticText(operation.offset));
      if (operation.length !== null) visitor.onArithmetic(arithmeticText(operation.length));
      break;
    case "Length":
    case "ArrayKeys":
    case "VarNamePrefix":
      break;
    case "Transform":
      if (operation.operator === "P") visitor.onOpaque('"${…@P}" runs what a value holds');
      break;
    case "Indirection":
      visitor.onOpaque('"${!…}" takes a name out of a value');
      break;
    default:
      visitor.onOpaque("an expansion is not understood");
  }
}

/** Without its text an expression cannot be looked at; the star is no part of any plain one at its start. */
export function arithmeticText({ originalText }: ArithmeticNode): string {
  return originalText ?? "`";
}

const MAX_ALTERNATIVES = 64;

/** The words that braces stand for, each as its parts. Too many of them stay one word with its braces. */
function expandBraces(parts: readonly WordPart[], visitor: WordVisitor): readonly (readonly WordPart[])[] {
  let words: readonly (readonly WordPart[])[] = [[]];
  for (const part of parts) {
    const alternatives = part.type === "BraceExpansion" ? braceAlternatives(part, visitor) : [[part]];
    if (words.length * alternatives.length > MAX_ALTERNATIVES) return [parts];
    words = words.flatMap((word) => alternatives.map((alternative) => [...word, ...alternative]));
  }
  return words;
}

function braceAlternatives(part: PartOf<"BraceExpansion">, visitor: WordVisitor): readonly (readonly WordPart[])[] {
  const alternatives = part.items.map((item) =>
    item.type === "Word" ? expandBraces(item.word.parts, visitor) : undefined,
  );
  // A range is left as one open part.
  return alternatives.every((each) => each !== undefined) ? alternatives.flat() : [[part]];
}

function visitBraces(part: PartOf<"BraceExpansion">, visitor: WordVisitor): void {
  for (const item of part.items) if (item.type === "Word") readWord(item.word, visitor);
}
