/**
 * The providers' own dialects (OpenAI's strict mode, Gemini) have one type for each value, unions as the only
 * combination, and few constraints. A shape is a JSON Schema brought to that form: the forms that a value may have, whether
 * it may be null, and the keywords that belong to no form. Each dialect then says what it can of a form.
 *
 * A shape accepts whatever its schema accepts, and more only where it says so in `moved` or `notes`.
 */
import type { JsonValue } from "../../contract/json-schema.ts";
import { providerMessages } from "../../errors/messages/providers.ts";
import { canonicalJson } from "../../schema/canonical-json.ts";
import { flattenObject } from "./flatten-object.ts";
import { CLOSING, flattenPlace, type Scope } from "./flatten-place.ts";
import { areExclusive } from "./exclusive-branches.ts";
import { isSchemaObject, listedSchemas, type SchemaObject } from "./schema-object.ts";

/** The types of a form; null is a property of the shape. */
export type FormType = "string" | "number" | "integer" | "boolean" | "array" | "object";

/** One type that a value may have, with what is asked of it. */
export interface Form {
  readonly type: FormType;
  /** The keywords that speak about this type. */
  readonly keywords: SchemaObject;
  /** The values that are allowed, when they are listed. */
  readonly values?: readonly JsonValue[];
  readonly description?: string;
  readonly moved: readonly SchemaObject[];
  /** The scope of the schemas inside. */
  readonly scope: Scope;
}

/** Keywords of a form about the schemas inside of it; the others constrain the value itself. */
export const INNER_KEYWORDS: ReadonlySet<string> = new Set([
  "properties",
  "required",
  ...CLOSING,
  "items",
  "prefixItems",
]);

/** What a value may be. */
export interface Shape {
  readonly forms: readonly Form[];
  readonly nullable: boolean;
  /** Any JSON value; there are no forms then. */
  readonly isAny: boolean;
  readonly description?: string;
  readonly default?: JsonValue;
  readonly moved: readonly SchemaObject[];
  /** What has been widened, in words. */
  readonly notes: readonly string[];
}

/** Reads the shape of a schema. */
export function readShape(schema: unknown, scope: Scope): Shape {
  if (!isSchemaObject(schema)) return { ...NO_SHAPE, isAny: schema !== false };
  const isObject = "properties" in flattenPlace(schema, scope).schema;
  const flat = isObject ? flattenObject(schema, scope) : flattenPlace(schema, scope);
  const place: Place = {
    schema: flat.schema,
    scope: flat.scope,
    moved: flat.moved,
    notes: flat.isCut ? [providerMessages.notFollowed] : [],
  };
  const shape = "anyOf" in flat.schema || "oneOf" in flat.schema ? readUnion(place) : readTyped(place);
  const { description, default: value } = flat.schema;
  return {
    ...shape,
    ...(typeof description === "string" ? { description } : {}),
    // The schema has been compiled, so its default is JSON.
    ...(value === undefined ? {} : { default: value as JsonValue }),
  };
}

const NO_SHAPE: Shape = { forms: [], nullable: false, isAny: false, moved: [], notes: [] };

interface Place {
  readonly schema: SchemaObject;
  readonly scope: Scope;
  readonly moved: readonly SchemaObject[];
  readonly notes: readonly string[];
}

const ANNOTATIONS: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "deprecated",
  "readOnly",
  "writeOnly",
  "$defs",
  "definitions",
]);

function readUnion({ schema, scope, moved, notes }: Place): Shape {
  const keyword = "anyOf" in schema ? "anyOf" : "oneOf";
  const branches = listedSchemas(schema[keyword]);
  const beside = Object.entries(schema).filter(
    ([name]) => name !== keyword && name !== "type" && !ANNOTATIONS.has(name),
  );
  // Ajv asks for the type once, beside the alternatives or in each.
  const typed = branches.map((branch) => ("type" in schema ? { type: schema["type"], ...branch } : branch));
  const shapes = typed.map((branch) => readShape(branch, scope));
  const isOneOfMany = keyword === "oneOf" && !areExclusive(branches, scope);
  return {
    forms: shapes.flatMap((shape) => shape.forms.map((form) => describeForm(form, shape))),
    nullable: shapes.some(({ nullable }) => nullable),
    isAny: shapes.some(({ isAny }) => isAny),
    moved: [...moved, ...beside.map(([name, value]) => ({ [name]: value }))],
    notes: [...notes, ...shapes.flatMap((shape) => shape.notes), ...(isOneOfMany ? [providerMessages.exactlyOne] : [])],
  };
}

function describeForm(form: Form, { description, moved }: Shape): Form {
  const said = form.description ?? description;
  return { ...form, moved: [...form.moved, ...moved], ...(said === undefined ? {} : { description: said }) };
}

function readTyped({ schema, scope, moved, notes }: Place): Shape {
  const values = valuesOf(schema);
  const types = typesOf(schema, values);
  const spoken = Object.entries(schema).filter(([name]) => !STRUCTURE.has(name) && !ANNOTATIONS.has(name));
  const elsewhere = spoken.filter(([name]) => TYPE_OF_KEYWORD[name] === undefined);
  const shared = { moved: [...moved, ...elsewhere.map(([name, value]) => ({ [name]: value }))], notes };
  if (types === undefined) {
    const constraints = spoken.filter(([name]) => TYPE_OF_KEYWORD[name] !== undefined);
    return {
      ...NO_SHAPE,
      ...shared,
      isAny: true,
      moved: [...shared.moved, ...constraints.map(([name, value]) => ({ [name]: value }))],
    };
  }
  const forms = types.filter(isFormType).map((type): Form => {
    const keywords = Object.fromEntries(spoken.filter(([name]) => TYPE_OF_KEYWORD[name]?.includes(type) === true));
    const own = values?.filter((value) => isOfType(value, type));
    return { type, keywords, scope, moved: [], ...(own === undefined ? {} : { values: own }) };
  });
  const isNullable = types.includes("null") && (values === undefined || values.includes(null));
  return {
    ...NO_SHAPE,
    ...shared,
    forms: forms.filter((form) => form.values === undefined || form.values.length > 0),
    nullable: isNullable,
  };
}

const STRUCTURE: ReadonlySet<string> = new Set(["type", "enum", "const"]);

function valuesOf(schema: SchemaObject): readonly JsonValue[] | undefined {
  // The schema has been compiled, so both keywords hold JSON, and "enum" is a list.
  const listed = schema["enum"] as readonly JsonValue[] | undefined;
  if (!("const" in schema)) return listed;
  const constant = schema["const"] as JsonValue; // see above
  const text = canonicalJson(constant);
  return listed === undefined || listed.some((value) => canonicalJson(value) === text) ? [constant] : [];
}

function typesOf(schema: SchemaObject, values: readonly JsonValue[] | undefined): readonly string[] | undefined {
  const given = schema["type"];
  if (given === undefined) return values === undefined ? impliedTypes(schema) : [...new Set(values.map(typeOfValue))];
  const types: readonly unknown[] = Array.isArray(given) ? given : [given];
  // A number may be an integer, so both together are the wider one.
  return types
    .filter((type) => typeof type === "string" && !(type === "integer" && types.includes("number")))
    .map(String);
}

/** Schemas of other people often leave the type out, and mean the one whose content they describe. */
function impliedTypes(schema: SchemaObject): readonly string[] | undefined {
  if ("properties" in schema) return ["object"];
  return "items" in schema ? ["array"] : undefined;
}

function typeOfValue(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

function isOfType(value: JsonValue, type: FormType): boolean {
  return type === "integer" ? Number.isInteger(value) : typeOfValue(value) === type;
}

function isFormType(type: string): type is FormType {
  return ["string", "number", "integer", "boolean", "array", "object"].includes(type);
}

const NUMBERS: readonly FormType[] = ["number", "integer"];

/** Which types a keyword speaks about; one that is not here speaks about all. */
const TYPE_OF_KEYWORD: Readonly<Record<string, readonly FormType[]>> = {
  ...of(["string"], ["minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType"]),
  ...of(NUMBERS, ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
  ...of(["array"], ["items", "prefixItems", "minItems", "maxItems", "uniqueItems", "unevaluatedItems"]),
  ...of(["array"], ["contains", "minContains", "maxContains"]),
  ...of(["object"], ["properties", "required", "additionalProperties", "unevaluatedProperties", "patternProperties"]),
  ...of(["object"], ["propertyNames", "minProperties", "maxProperties", "dependentRequired"]),
};

function of(types: readonly FormType[], keywords: readonly string[]): Readonly<Record<string, readonly FormType[]>> {
  return Object.fromEntries(keywords.map((keyword) => [keyword, types]));
}
