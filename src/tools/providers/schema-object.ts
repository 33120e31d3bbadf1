/** A JSON Schema that is no boolean. */
export type SchemaObject = Readonly<Record<string, unknown>>;

/** Whether a value is a schema other than a boolean. */
export function isSchemaObject(value: unknown): value is SchemaObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The schemas in a keyword whose value is a list of them; booleans are written as schemas. */
export function listedSchemas(value: unknown): readonly SchemaObject[] {
  return Array.isArray(value) ? value.map(asSchemaObject) : [];
}

/** The schemas in a keyword whose value is a map of them; booleans are written as schemas. */
export function namedSchemas(value: unknown): readonly (readonly [string, SchemaObject])[] {
  if (!isSchemaObject(value)) return [];
  return Object.entries(value).map(([name, schema]) => [name, asSchemaObject(schema)] as const);
}

/** The texts in a keyword whose value is a list of them. */
export function listedTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

/** A schema with what is `undefined` left out. */
export function withoutUndefined(schema: SchemaObject): SchemaObject {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}

function asSchemaObject(schema: unknown): SchemaObject {
  if (isSchemaObject(schema)) return schema;
  return schema === false ? { not: {} } : {};
}
