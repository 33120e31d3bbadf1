import type { JsonValue } from "../../contract/json-schema.ts";
import { canonicalJson } from "../../schema/canonical-json.ts";
import { flattenPlace, type Scope } from "./flatten-place.ts";
import { isSchemaObject, listedTexts, type SchemaObject } from "./schema-object.ts";

/**
 * Whether no value can fit two of the schemas, so that `oneOf` says the same as `anyOf`: their types differ, or a required
 * property has other values in each.
 */
export function areExclusive(branches: readonly SchemaObject[], scope: Scope): boolean {
  const flat = branches.map((branch) => flattenPlace(branch, scope).schema);
  return flat.every((left, index) => flat.slice(index + 1).every((right) => areApart(left, right)));
}

function areApart(left: SchemaObject, right: SchemaObject): boolean {
  if (haveApartTypes(left, right) || haveApartValues(left, right)) return true;
  const [some, others] = [left["properties"], right["properties"]];
  if (left["type"] !== "object" || right["type"] !== "object" || !isSchemaObject(some) || !isSchemaObject(others)) {
    return false;
  }
  const required = listedTexts(right["required"]);
  return listedTexts(left["required"]).some((name) => {
    const [one, other] = [some[name], others[name]];
    return required.includes(name) && isSchemaObject(one) && isSchemaObject(other) && haveApartValues(one, other);
  });
}

function haveApartTypes(left: SchemaObject, right: SchemaObject): boolean {
  const [some, others] = [typesOf(left), typesOf(right)];
  return some.length > 0 && others.length > 0 && !some.some((type) => others.includes(type));
}

/** An integer is a number as well. */
function typesOf({ type }: SchemaObject): readonly unknown[] {
  const types: readonly unknown[] = Array.isArray(type) ? type : type === undefined ? [] : [type];
  return types.map((each) => (each === "integer" ? "number" : each));
}

function haveApartValues(left: SchemaObject, right: SchemaObject): boolean {
  const [some, others] = [valuesOf(left), valuesOf(right)];
  return some !== undefined && others !== undefined && !some.some((value) => others.includes(value));
}

function valuesOf(schema: SchemaObject): readonly string[] | undefined {
  if ("const" in schema) return [canonicalJson(schema["const"])];
  // The schema has been compiled, so "enum" is a list of JSON values.
  return (schema["enum"] as readonly JsonValue[] | undefined)?.map((value) => canonicalJson(value));
}
