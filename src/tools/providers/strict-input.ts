/**
 * In strict mode null stands for an optional property that is left out. Here such nulls are taken out again, so that the
 * pipeline sees the input that was meant. A null that the tool's own schema accepts stays.
 */
import type { ObjectSchema } from "../../contract/json-schema.ts";
import type { Tool } from "../../contract/tool.ts";
import { compileForeignSchema, type InputValidator } from "../../schema/compile-schema.ts";
import { toModernSchema } from "./modern-schema.ts";
import { isSchemaObject, listedSchemas, type SchemaObject } from "./schema-object.ts";
import { type StrictSchema, toStrictSchema } from "./strict-schema.ts";

/**
 * Gives the input that a model meant when it was shown the tool in OpenAI's strict mode. What does not fit the strict schema
 * is passed on for the pipeline to refuse, and so is every input of a tool that cannot be shown in strict mode.
 */
export function fromStrictInput(tool: Tool, input: unknown): unknown {
  const strict = strictSchemaOf(tool);
  return strict.fits ? takeNullsOut(input, strict.schema, strict) : input;
}

/** The schema of a tool in strict mode, or why there is none. */
export function strictSchemaOf({ parameters }: Tool): StrictSchema {
  const known = strictSchemas.get(parameters);
  if (known !== undefined) return known;
  const strict = toStrictSchema(toModernSchema(parameters));
  // Only what cannot change any more is remembered.
  if (Object.isFrozen(parameters)) strictSchemas.set(parameters, strict);
  return strict;
}

/** A memo, keyed by frozen schemas, so that it can never be stale: it is asked for every call. */
const strictSchemas = new WeakMap<ObjectSchema, StrictSchema>();

type Fitting = Extract<StrictSchema, { readonly fits: true }>;

function takeNullsOut(value: unknown, schema: SchemaObject, strict: Fitting): unknown {
  const form = chooseForm(value, schema);
  if (form === undefined) return value;
  if (Array.isArray(value)) {
    const items = form["items"];
    return isSchemaObject(items) ? value.map((item: unknown) => takeNullsOut(item, items, strict)) : value;
  }
  const properties = form["properties"];
  if (!isSchemaObject(value) || !isSchemaObject(properties)) return value;
  const optional = strict.optional.get(form);
  const entries = Object.entries(value).filter(([name, each]) => each !== null || optional?.has(name) !== true);
  return Object.fromEntries(
    entries.map(([name, each]) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return [name, isSchemaObject(property) ? takeNullsOut(each, property, strict) : each];
    }),
  );
}

/** The form of a union that a value has: the first that accepts it as it is. */
function chooseForm(value: unknown, schema: SchemaObject): SchemaObject | undefined {
  if (!("anyOf" in schema)) return schema;
  const type = Array.isArray(value) ? "array" : typeof value;
  const candidates = listedSchemas(schema["anyOf"]).filter((form) => form["type"] === type);
  return candidates.length < 2 ? candidates[0] : candidates.find((form) => accepts(form, value));
}

function accepts(form: SchemaObject, value: unknown): boolean {
  let validator = validators.get(form);
  if (validator === undefined) {
    validator = compileForeignSchema({ type: "object", properties: { value: form }, required: ["value"] });
    validators.set(form, validator);
  }
  const check = validator.check({ value });
  return check.valid && check.coercions.length === 0;
}

/** A memo, keyed by forms of remembered strict schemas, which nobody else holds. */
const validators = new WeakMap<SchemaObject, InputValidator>();
