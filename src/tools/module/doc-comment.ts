import type { Symbol, ts } from "ts-morph";

/** A doc comment, as far as a tool is described by it. */
export interface DocComment {
  /** Its first paragraph as one line; empty when there is no comment. */
  readonly summary: string;
  /** Name and text of each block tag, in order. */
  readonly tags: readonly DocTag[];
}

/** `@name text`. */
export interface DocTag {
  readonly name: string;
  readonly text: string;
}

/** Reads the doc comment of whatever was declared. */
export function docCommentOf(symbol: Symbol): DocComment {
  const [paragraph = ""] = documentationOf(symbol)
    .trim()
    .split(/\n[ \t]*\n/, 1);
  const tags = symbol.getJsDocTags().map((tag) => ({ name: tag.getName(), text: textOf(tag.getText()).trim() }));
  return { summary: onOneLine(paragraph), tags };
}

/** All that the doc comment of a parameter or property says; of a parameter, the text of its `@param`. */
export function describedAs(symbol: Symbol): { readonly description?: string } {
  const description = onOneLine(documentationOf(symbol)).replace(/^- /, "");
  return description === "" ? {} : { description };
}

function documentationOf({ compilerSymbol }: Symbol): string {
  return textOf(compilerSymbol.getDocumentationComment(undefined));
}

function textOf(parts: readonly ts.SymbolDisplayPart[]): string {
  return parts.map(({ text }) => text).join("");
}

function onOneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
