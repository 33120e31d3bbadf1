/**
 * Providers read draft 2020-12, and `nullable` is none of its keywords. The keywords of older drafts are rewritten,
 * whatever draft is named, so that every converter sees one dialect. `$schema`, `$id` and `$comment` say nothing to a
 * model and are left out.
 */
import { isSchemaObject, type SchemaObject, withoutUndefined } from "./schema-object.ts";

/** The same schema in draft 2020-12, as a copy. */
export function toModernSchema(schema: SchemaObject): SchemaObject {
  const renamed = renameKeywords(schema);
  const entries = Object.entries(renamed).filter(([keyword]) => !LEFT_OUT.has(keyword) && keyword !== "nullable");
  const modern = Object.fromEntries(entries.map(([keyword, value]) => [keyword, modernizeValue(keyword, value)]));
  return renamed["nullable"] === true ? addNull(modern) : modern;
}

const LEFT_OUT: ReadonlySet<string> = new Set(["$schema", "$id", "$comment"]);
const SCHEMA_MAPS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);
/** Keywords whose value is data, which may look like a schema. */
const DATA: ReadonlySet<string> = new Set(["const", "enum", "default", "examples", "dependentRequired"]);

function modernizeValue(keyword: string, value: unknown): unknown {
  if (DATA.has(keyword)) return structuredClone(value);
  if (Array.isArray(value)) return value.map(modernizeChild);
  if (SCHEMA_MAPS.has(keyword) && isSchemaObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, modernizeChild(each)]));
  }
  return modernizeChild(value);
}

function modernizeChild(each: unknown): unknown {
  return isSchemaObject(each) ? toModernSchema(each) : each;
}

function renameKeywords({ items, additionalItems, dependencies, ...schema }: SchemaObject): SchemaObject {
  const lists = Array.isArray(items)
    ? { prefixItems: items, ...(additionalItems === undefined ? {} : { items: additionalItems }) }
    : withoutUndefined({ items });
  if (!isSchemaObject(dependencies)) return { ...schema, ...lists };
  const entries = Object.entries(dependencies);
  const required = entries.filter(([, value]) => Array.isArray(value));
  const schemas = entries.filter(([, value]) => !Array.isArray(value));
  return {
    ...schema,
    ...lists,
    ...(required.length > 0 ? { dependentRequired: Object.fromEntries(required) } : {}),
    ...(schemas.length > 0 ? { dependentSchemas: Object.fromEntries(schemas) } : {}),
  };
}

/** Ajv reads `nullable` beside a type, and lets null through an `enum` only when the list holds it. */
function addNull(schema: SchemaObject): SchemaObject {
  const types = Array.isArray(schema["type"]) ? schema["type"] : [schema["type"]];
  return types.includes("null") || types.includes(undefined) ? schema : { ...schema, type: [...types, "null"] };
}
