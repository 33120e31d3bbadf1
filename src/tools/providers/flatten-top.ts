import { providerMessages } from "../../errors/messages/providers.ts";
import { type ConversionNote, noteAt } from "./conversion-note.ts";
import { flattenObject } from "./flatten-object.ts";
import { openScope, type Scope } from "./flatten-place.ts";
import type { SchemaObject } from "./schema-object.ts";

/** The top of a tool's input without the keywords that a provider refuses there. */
export interface FlatTop {
  readonly schema: SchemaObject;
  readonly moved: readonly SchemaObject[];
  readonly scope: Scope;
  readonly isCut: boolean;
  readonly notes: readonly ConversionNote[];
}

/** Keywords that stand for another schema of the same object. */
const COMBINING: readonly string[] = ["anyOf", "oneOf", "allOf", "$ref"];

/** What neither OpenAI, in strict mode or not, nor Gemini takes at the top. */
export const ONLY_BELOW_TOP: readonly string[] = [...COMBINING, "not", "enum", "const"];

/**
 * Takes refused keywords off the top of an input's schema: alternatives and references become one list of properties, and
 * what only constrains is moved. A schema without any of them is left as it is.
 */
export function flattenTop(root: SchemaObject, refused: readonly string[]): FlatTop {
  const found = refused.filter((keyword) => keyword in root);
  const scope = openScope(root);
  if (found.length === 0) return { schema: root, moved: [], scope, isCut: false, notes: [] };
  const flat = found.some((keyword) => COMBINING.includes(keyword))
    ? flattenObject(root, scope)
    : { schema: root, moved: [], scope, isCut: false };
  const constraints = refused.filter((keyword) => keyword in flat.schema);
  const moved = [...flat.moved, ...constraints.map((keyword) => ({ [keyword]: flat.schema[keyword] }))];
  const isLossy = moved.length > 0 || flat.isCut;
  return {
    schema: Object.fromEntries(Object.entries(flat.schema).filter(([keyword]) => !refused.includes(keyword))),
    moved,
    scope: flat.scope,
    isCut: flat.isCut,
    notes: found.map((keyword) => noteAt([], providerMessages.topLevel(keyword), isLossy)),
  };
}
