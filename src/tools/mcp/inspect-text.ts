/**
 * What a server says of its tools goes to the model as it stands, and a person who approves a server may read it first.
 * Both must see the same, so whatever is in a text without being seen there is taken out: control and format
 * characters (which hold the bidirectional ones, the zero-width ones and the tags that spell ASCII invisibly),
 * private use, lone surrogates, fillers, and variation selectors beyond the two of emoji.
 *
 * Only titles and descriptions can be cleaned without changing what a schema means. Hidden characters in its names
 * and values are a reason to do without the tool.
 */
import { mcpMessages } from "../../errors/messages/mcp.ts";
import { formatPath } from "../../schema/format-path.ts";

/** A text as it can be seen, and how many characters could not be. */
export interface CleanText {
  readonly text: string;
  readonly hidden: number;
}

/** Takes out what cannot be seen. Line ends and tabs stay. */
export function cleanText(text: string): CleanText {
  let hidden = 0;
  const cleaned = text.replaceAll("\r\n", "\n").replaceAll(HIDDEN, () => {
    hidden += 1;
    return "";
  });
  return { text: cleaned, hidden };
}

/** A schema whose texts can be seen as they are, or where it holds something that cannot. */
export type CleanSchema =
  | { readonly usable: true; readonly schema: unknown; readonly hidden: number }
  | { readonly usable: false; readonly problem: string };

/** Cleans the titles and descriptions of a schema. */
export function cleanSchema(schema: unknown): CleanSchema {
  const cleaner = new SchemaCleaner();
  const cleaned = cleaner.clean(schema, []);
  if (cleaner.hiddenAt === undefined) return { usable: true, schema: cleaned, hidden: cleaner.hidden };
  const { text } = cleanText(formatPath(cleaner.hiddenAt, "the root"));
  return { usable: false, problem: mcpMessages.hiddenInSchema(text) };
}

/** The first words of a text that address the model instead of describing a tool. */
export function findSuspiciousWords(text: string): string | undefined {
  return SUSPICIOUS.exec(text)?.[0];
}

const HIDDEN = /(?!\n|\t|\u{fe0e}|\u{fe0f})[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/** Deeper than any schema that the compiler takes. */
const MAX_DEPTH = 100;
const TEXT_KEYS: ReadonlySet<string> = new Set(["title", "description", "$comment"]);

class SchemaCleaner {
  hidden = 0;
  hiddenAt: readonly string[] | undefined;

  clean(value: unknown, path: readonly string[]): unknown {
    if (typeof value === "string") return this.#asItIs(value, path);
    if (typeof value !== "object" || value === null || path.length > MAX_DEPTH) return value;
    if (Array.isArray(value)) return value.map((item, index) => this.clean(item, [...path, String(index)]));
    return Object.fromEntries(
      Object.entries(value).map(([key, child]) => {
        const below = [...path, key];
        this.#asItIs(key, below);
        return [key, TEXT_KEYS.has(key) && typeof child === "string" ? this.#text(child) : this.clean(child, below)];
      }),
    );
  }

  #text(value: string): string {
    const { text, hidden } = cleanText(value);
    this.hidden += hidden;
    return text;
  }

  #asItIs(value: string, path: readonly string[]): string {
    if (cleanText(value).hidden > 0) this.hiddenAt ??= path;
    return value;
  }
}

const SUSPICIOUS = new RegExp(
  [
    String.raw`\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|earlier|above|all|other)\b.{0,40}\b(?:instructions?|rules?|prompts?|tools?)`,
    String.raw`\b(?:do not|don't|never|without)\b.{0,20}\b(?:tell|telling|inform|informing|mention|show|notify)\b.{0,20}\b(?:the )?(?:user|human)`,
    String.raw`<\/?(?:important|system|instructions?|secret|assistant|admin)\b[^>]{0,40}>`,
    String.raw`\bsystem prompt\b`,
    String.raw`\byou are now\b`,
    String.raw`\b(?:before|after|instead of) (?:using|calling) (?:this|any|other|another)\b.{0,60}\b(?:must|always|first)\b`,
    String.raw`(?:~|\/)[^\s]{0,40}(?:\.ssh|\.aws|\.env\b|id_rsa|credentials)`,
  ].join("|"),
  "isu",
);
