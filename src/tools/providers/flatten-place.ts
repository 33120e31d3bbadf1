/**
 * One place of an input may be spoken about by several schemas: what a `$ref` leads to, and each member of `allOf`.
 * Here they become one schema. Two rules keep that safe: the one schema accepts whatever all of them accept, and what it
 * cannot say is handed back as `moved`, to be said in words.
 */
import { canonicalJson } from "../../schema/canonical-json.ts";
import { followReference } from "../../schema/follow-reference.ts";
import { isSchemaObject, listedSchemas, listedTexts, type SchemaObject } from "./schema-object.ts";

/** Where in a schema a conversion is. */
export interface Scope {
  readonly root: SchemaObject;
  /** The references that are being followed; one that comes again would never end. */
  readonly following: readonly string[];
  /** How many references may still be followed: a few that lead to each other can multiply without end. */
  readonly budget: { left: number };
}

/** A schema without `$ref` and `allOf`. */
export interface FlatPlace {
  readonly schema: SchemaObject;
  /** What the schema does not say any more. */
  readonly moved: readonly SchemaObject[];
  /** The scope of the schemas inside. */
  readonly scope: Scope;
  /** A reference was not followed: the schema accepts more than was meant. */
  readonly isCut: boolean;
}

/** A scope for a whole schema. */
export function openScope(root: SchemaObject): Scope {
  return { root, following: [], budget: { left: 2_000 } };
}

/** Whether keys that an object does not list are allowed; `silent` when nobody said so, which the pipeline reads as no. */
export type Openness = "silent" | "open" | "closed";

/** What a schema says about keys that it does not list. */
export function opennessOf(schema: SchemaObject): Openness {
  const additional = schema["additionalProperties"] ?? schema["unevaluatedProperties"];
  if ("patternProperties" in schema) return "open";
  if (additional === undefined) return "silent";
  return additional === false ? "closed" : "open";
}

/** Whether an object with these keywords may have keys that it does not list. */
export function isOpenObject(keywords: SchemaObject): boolean {
  const openness = opennessOf(keywords);
  return openness === "open" || (openness === "silent" && !("properties" in keywords));
}

/** The keywords that speak about keys that an object does not list. */
export const CLOSING: readonly string[] = ["additionalProperties", "unevaluatedProperties", "patternProperties"];

/** Makes one schema of everything that applies to its place. */
export function flattenPlace(schema: SchemaObject, scope: Scope): FlatPlace {
  const collected: Collected = { parts: [], following: [...scope.following], isCut: false };
  collect(schema, scope, collected);
  const [first = {}, ...rest] = collected.parts;
  const moved: SchemaObject[] = [];
  const merged = rest.reduce((base, part) => mergePart(base, part, moved), first);
  return {
    schema: merged,
    moved,
    scope: { ...scope, following: collected.following },
    isCut: collected.isCut,
  };
}

interface Collected {
  readonly parts: SchemaObject[];
  readonly following: string[];
  isCut: boolean;
}

function collect({ $ref, allOf, ...own }: SchemaObject, scope: Scope, into: Collected): void {
  into.parts.push(own);
  if (typeof $ref === "string") {
    const target = followReference($ref, scope.root);
    if (target === undefined || scope.budget.left <= 0 || scope.following.includes($ref)) {
      into.isCut = true;
      into.parts.push(target?.["type"] === undefined ? {} : { type: target["type"] });
    } else {
      scope.budget.left -= 1;
      into.following.push($ref);
      collect(target, { ...scope, following: [...scope.following, $ref] }, into);
    }
  }
  for (const member of listedSchemas(allOf)) collect(member, scope, into);
}

const ANNOTATIONS: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "$defs",
  "definitions",
]);

function mergePart(base: SchemaObject, part: SchemaObject, moved: SchemaObject[]): SchemaObject {
  if (!speaks(base)) return { ...part, ...base };
  if (!speaks(part)) return { ...part, ...base };
  let merged = mergeClosing(base, part, moved);
  for (const [keyword, value] of Object.entries(part)) {
    if (CLOSING.includes(keyword)) continue;
    const known = merged[keyword];
    if (known === undefined) merged = { ...merged, [keyword]: value };
    else if (keyword === "properties") merged = { ...merged, properties: mergeProperties(known, value) };
    else if (keyword === "required") merged = { ...merged, required: union(listedTexts(known), listedTexts(value)) };
    else if (keyword === "type") {
      const common = commonTypes(known, value);
      if (common === undefined) moved.push({ type: value });
      else merged = { ...merged, type: common };
    } else if (!ANNOTATIONS.has(keyword) && canonicalJson(known) !== canonicalJson(value))
      moved.push({ [keyword]: value });
  }
  return merged;
}

function speaks(schema: SchemaObject): boolean {
  return Object.keys(schema).some((keyword) => !ANNOTATIONS.has(keyword));
}

/** A part that refuses other keys than its own refuses them for all; the union of the keys is what is left to say. */
function mergeClosing(base: SchemaObject, part: SchemaObject, moved: SchemaObject[]): SchemaObject {
  const each = [opennessOf(base), opennessOf(part)];
  if (each.every((openness) => openness === "silent")) return base;
  const rest = Object.fromEntries(Object.entries(base).filter(([keyword]) => !CLOSING.includes(keyword)));
  for (const schema of [base, part]) {
    const said = Object.entries(schema).filter(([keyword, value]) => CLOSING.includes(keyword) && value !== true);
    if (said.length > 0) moved.push(Object.fromEntries(said));
  }
  return { ...rest, additionalProperties: !each.includes("closed") };
}

function mergeProperties(known: unknown, added: unknown): SchemaObject {
  const merged: Record<string, unknown> = { ...(isSchemaObject(known) ? known : {}) };
  for (const [name, schema] of Object.entries(isSchemaObject(added) ? added : {})) {
    merged[name] = Object.hasOwn(merged, name) ? { allOf: [merged[name], schema] } : schema;
  }
  return merged;
}

function union(left: readonly string[], right: readonly string[]): readonly string[] {
  return [...new Set([...left, ...right])];
}

/** Nothing when no type is in both, so that no value fits. */
function commonTypes(left: unknown, right: unknown): unknown {
  const [some, others] = [left, right].map((types) => (Array.isArray(types) ? types : [types]));
  const common = [
    ...(some ?? []).filter((type) => isIn(type, others)),
    ...(others ?? []).filter((type) => type === "integer" && isIn(type, some) && !some?.includes(type)),
  ];
  return common.length > 1 ? common : common[0];
}

function isIn(type: unknown, types: readonly unknown[] = []): boolean {
  return types.includes(type) || (type === "integer" && types.includes("number"));
}
