import { providerMessages } from "../../errors/messages/providers.ts";
import type { SchemaObject } from "./schema-object.ts";

/** Longer schemas are no description any more. */
const MAX_SCHEMA_CHARACTERS = 1_000;

/** Adds to a description what the schema cannot say: first the moved keywords, then further sentences. */
export function describe(
  description: string | undefined,
  moved: readonly SchemaObject[],
  further: readonly string[] = [],
): { readonly description?: string } {
  const sentences = [...wordMoved(moved), ...further];
  if (sentences.length === 0) return description === undefined ? {} : { description };
  const stated = description === undefined || description === "" ? [] : [endSentence(description)];
  return { description: [...stated, ...sentences.map((sentence) => `${sentence}.`)].join(" ") };
}

function wordMoved(moved: readonly SchemaObject[]): readonly string[] {
  if (moved.length === 0) return [];
  const [first = {}, ...rest] = moved;
  const isOneSchema = new Set(moved.flatMap(Object.keys)).size === moved.flatMap(Object.keys).length;
  const text = JSON.stringify(isOneSchema ? Object.assign({}, first, ...rest) : { allOf: moved });
  // A reference would lead nowhere in a description.
  if (text.length > MAX_SCHEMA_CHARACTERS || text.includes('"$ref"')) return [providerMessages.alsoMore];
  return [providerMessages.alsoSchema(text)];
}

function endSentence(text: string): string {
  return /[.!?:;]$/.test(text.trimEnd()) ? text.trimEnd() : `${text.trimEnd()}.`;
}
