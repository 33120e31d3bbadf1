/**
 * An object whose schema has alternatives beside its properties (`anyOf`, `oneOf`, `if`, `dependentSchemas`), which no
 * provider takes at the top of a tool's input, becomes one list of properties: those of all alternatives, required where
 * every alternative requires them. It accepts whatever the alternatives accept, and what it does not say is `moved`.
 */
import { canonicalJson } from "../../schema/canonical-json.ts";
import { type FlatPlace, flattenPlace, type Openness, opennessOf, type Scope } from "./flatten-place.ts";
import { isSchemaObject, listedSchemas, listedTexts, namedSchemas, type SchemaObject } from "./schema-object.ts";

/** Makes one list of properties of an object's schema and its alternatives. */
export function flattenObject(schema: SchemaObject, scope: Scope): FlatPlace {
  const flat = flattenPlace(schema, scope);
  const { anyOf, oneOf, if: _if, then, else: otherwise, dependentSchemas, ...own } = flat.schema;
  const alternatives = [anyOf, oneOf].map(listedSchemas).filter((branches) => branches.length > 0);
  const conditional = [then, otherwise].filter(isSchemaObject);
  const dependent = namedSchemas(dependentSchemas).map(([, branch]) => branch);
  if (alternatives.length + conditional.length + dependent.length === 0) return flat;

  const flatten = (branch: SchemaObject) => flattenObject(branch, flat.scope);
  const groups = alternatives.map((branches) => branches.map(flatten));
  const maybe = [...conditional, ...dependent].map(flatten);
  const branches = [...groups.flat(), ...maybe];
  const openness = joinOpenness(opennessOf(own), groups.map(opennessOfEach), opennessOfEach(maybe));
  const properties = joinProperties(own, openness, { groups, maybe });
  const wanted = groups.flatMap((group) => intersection(group.map((branch) => listedTexts(branch.schema["required"]))));
  // Without any list of properties an object takes every key.
  const isListed = "properties" in own || branches.some((branch) => "properties" in branch.schema);
  // What a closed object requires without listing it can never be given; leaving the demand out only accepts more.
  const required = [...new Set([...listedTexts(own["required"]), ...wanted])].filter(
    (name) => !isListed || openness === "open" || Object.hasOwn(properties, name),
  );
  return {
    schema: {
      ...own,
      ...(isListed ? { properties } : {}),
      ...(required.length > 0 ? { required } : {}),
      ...(openness === "silent" ? {} : closingOf(own, openness)),
    },
    moved: [...flat.moved, ...REMOVED.flatMap((keyword) => asMoved(keyword, flat.schema[keyword]))],
    scope: { ...flat.scope, following: [...new Set(branches.flatMap((branch) => branch.scope.following))] },
    isCut: flat.isCut || branches.some((branch) => branch.isCut),
  };
}

const REMOVED: readonly string[] = ["anyOf", "oneOf", "if", "then", "else", "dependentSchemas"];

function asMoved(keyword: string, value: unknown): readonly SchemaObject[] {
  return value === undefined ? [] : [{ [keyword]: value }];
}

function closingOf(own: SchemaObject, openness: Openness): SchemaObject {
  if (opennessOf(own) === "silent") return { additionalProperties: openness === "open" };
  return {};
}

function opennessOfEach(branches: readonly FlatPlace[]): readonly Openness[] {
  return branches.map((branch) => opennessOf(branch.schema));
}

/**
 * Where nobody speaks about other keys, the pipeline refuses those that no alternative lists. As soon as somebody does, it
 * adds nothing, and only alternatives that are all closed keep other keys out.
 */
function joinOpenness(own: Openness, groups: readonly (readonly Openness[])[], maybe: readonly Openness[]): Openness {
  if (own === "closed") return "closed";
  if (groups.some((group) => group.every((openness) => openness === "closed"))) return "closed";
  const all = [own, ...groups.flat(), ...maybe];
  return all.every((openness) => openness === "silent") ? "silent" : "open";
}

interface Alternatives {
  readonly groups: readonly (readonly FlatPlace[])[];
  readonly maybe: readonly FlatPlace[];
}

function joinProperties(own: SchemaObject, openness: Openness, { groups, maybe }: Alternatives): SchemaObject {
  const known: Record<string, unknown> = { ...(isSchemaObject(own["properties"]) ? own["properties"] : {}) };
  // A closed object takes its own properties and no others, whatever the alternatives say.
  if (opennessOf(own) === "closed") return known;
  for (const group of openness === "open" ? groups : [...groups, maybe]) {
    for (const [name, variants] of variantsOf(group)) {
      // In an open object a key that one alternative does not list may be anything there.
      const isEverywhere = variants.length === group.length;
      if (Object.hasOwn(known, name) || (openness === "open" && !isEverywhere)) continue;
      known[name] = joinVariants(variants);
    }
  }
  return known;
}

function variantsOf(branches: readonly FlatPlace[]): ReadonlyMap<string, readonly SchemaObject[]> {
  const variants = new Map<string, SchemaObject[]>();
  for (const { schema } of branches) {
    for (const [name, property] of namedSchemas(schema["properties"])) {
      variants.set(name, [...(variants.get(name) ?? []), property]);
    }
  }
  return variants;
}

/** Constants are joined to a list of values, which is what tells the alternatives apart in most schemas. */
function joinVariants(variants: readonly SchemaObject[]): SchemaObject {
  const distinct = [...new Map(variants.map((variant) => [canonicalJson(variant), variant])).values()];
  const [first = {}] = distinct;
  if (distinct.length === 1) return first;
  const isConstant = (variant: SchemaObject) => "const" in variant && variant["type"] === first["type"];
  if (!distinct.every(isConstant)) return { anyOf: distinct };
  const values = new Map(distinct.map(({ const: value }) => [canonicalJson(value), value]));
  return { ...("type" in first ? { type: first["type"] } : {}), enum: [...values.values()] };
}

function intersection([first = [], ...rest]: readonly (readonly string[])[]): readonly string[] {
  return first.filter((name) => rest.every((names) => names.includes(name)));
}
