/**
 * An argument that a schema does not know is nearly always a misspelt one, and silently ignoring it makes a tool do
 * something else than was asked. JSON Schema ignores it unless told otherwise, so each object that lists its
 * `properties` is told otherwise here, nested ones included.
 *
 * What counts is the place of an object in the input: the root, a property, an item. Several schemas may speak about one
 * place (`allOf`, `anyOf`, `oneOf`, `then`, `else`, `$ref`), and only all of them together know every property; closing
 * each alone would refuse what another one allows. So a place with one schema gets `additionalProperties: false`, and
 * a place with several gets `unevaluatedProperties: false` on top. Where any of them already speaks about additional
 * properties, the author has decided and nothing is added. Inside `not`, `if` and `contains` a stricter schema would mean a
 * laxer or another one, so nothing is touched there.
 */
import type { JsonSchema } from "../contract/json-schema.ts";
import { ToolDefinitionError } from "../errors/tool-definition-error.ts";
import { schemaMessages } from "../errors/messages/schema.ts";
import { followReference } from "./follow-reference.ts";
import { formatPath } from "./format-path.ts";

type SchemaObject = Record<string, unknown>;

/** Which keywords were needed: `unevaluatedProperties` at least once, or only `additionalProperties`. */
export type Closing = "additional" | "unevaluated";

/**
 * Refuses unknown keys wherever the schema does not say otherwise. Changes the schema given, which must be a copy.
 * @throws ToolDefinitionError when a closed object requires a property that it does not know.
 */
export function closeObjects(schema: JsonSchema): Closing {
  const unevaluated = new Set<SchemaObject>();
  if (isSchemaObject(schema)) closePlace(schema, { root: schema, path: [], unevaluated });
  return unevaluated.size > 0 ? "unevaluated" : "additional";
}

interface Place {
  readonly root: SchemaObject;
  readonly path: readonly string[];
  /** Collects the schemas that got `unevaluatedProperties`. */
  readonly unevaluated: Set<SchemaObject>;
}

/** Keywords whose value is a schema, a list or a map of schemas for another place of the input. */
const PLACE_KEYWORDS = [
  "items",
  "prefixItems",
  "additionalItems",
  "unevaluatedItems",
  "additionalProperties",
  "unevaluatedProperties",
];
const PLACE_MAP_KEYWORDS = ["properties", "patternProperties"];
/** Keywords whose schemas speak about the same place. */
const SAME_PLACE_KEYWORDS = ["allOf", "anyOf", "oneOf", "then", "else"];
const SAME_PLACE_MAP_KEYWORDS = ["dependentSchemas", "dependencies"];
const DEFINITION_KEYWORDS = ["$defs", "definitions"];

function closePlace(schema: SchemaObject, place: Place): void {
  closeBelow(schema, place);
  const together = schemasOfPlace(schema, place.root);
  const isOpenOnPurpose = together.some((each) => "additionalProperties" in each || "unevaluatedProperties" in each);
  if (isOpenOnPurpose || !together.some((each) => isSchemaObject(each.properties))) return;
  if (together.length > 1) {
    schema.unevaluatedProperties = false;
    place.unevaluated.add(schema);
    return;
  }
  schema.additionalProperties = false;
  assertRequiredIsKnown(schema, place);
}

function closeBelow(schema: SchemaObject, place: Place): void {
  for (const keyword of PLACE_KEYWORDS) {
    for (const child of schemasIn(schema[keyword])) closePlace(child, { ...place, path: [...place.path, keyword] });
  }
  for (const keyword of PLACE_MAP_KEYWORDS) {
    for (const [name, child] of schemasInMap(schema[keyword])) {
      closePlace(child, { ...place, path: [...place.path, name] });
    }
  }
  for (const keyword of SAME_PLACE_KEYWORDS) for (const same of schemasIn(schema[keyword])) closeBelow(same, place);
  for (const keyword of [...SAME_PLACE_MAP_KEYWORDS, ...DEFINITION_KEYWORDS]) {
    for (const [, same] of schemasInMap(schema[keyword])) closeBelow(same, place);
  }
}

/** The schema and all others that speak about its place. */
function schemasOfPlace(schema: SchemaObject, root: SchemaObject): readonly SchemaObject[] {
  const found = new Set<SchemaObject>([schema]);
  // A set that grows while it is walked: each schema is visited once, so a reference to itself ends.
  for (const each of found) {
    for (const keyword of SAME_PLACE_KEYWORDS) for (const same of schemasIn(each[keyword])) found.add(same);
    for (const keyword of SAME_PLACE_MAP_KEYWORDS) for (const [, same] of schemasInMap(each[keyword])) found.add(same);
    if (typeof each.$ref === "string") {
      // What cannot be followed here may allow anything, so it counts as open.
      found.add(followReference(each.$ref, root) ?? { additionalProperties: true });
    }
  }
  return [...found];
}

function assertRequiredIsKnown(schema: SchemaObject, place: Place): void {
  const known = isSchemaObject(schema.properties) ? schema.properties : {};
  if (!Array.isArray(schema.required) || "patternProperties" in schema) return;
  for (const name of schema.required) {
    if (typeof name !== "string" || Object.hasOwn(known, name)) continue;
    throw new ToolDefinitionError(
      schemaMessages.cannotCompile(schemaMessages.requiredUnknown(formatPath(place.path, "the root"), name)),
    );
  }
}

function schemasIn(value: unknown): readonly SchemaObject[] {
  return (Array.isArray(value) ? value : [value]).filter(isSchemaObject);
}

function schemasInMap(value: unknown): readonly (readonly [string, SchemaObject])[] {
  if (!isSchemaObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => (isSchemaObject(each) ? [[name, each] as const] : []));
}

function isSchemaObject(value: unknown): value is SchemaObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
