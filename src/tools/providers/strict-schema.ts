/**
 * OpenAI's strict mode makes the model produce nothing but inputs that fit the schema, and takes a small part of JSON
 * Schema only (https://platform.openai.com/docs/guides/structured-outputs#supported-schemas): every object closed, every
 * property required, unions as `anyOf`, no defaults. An optional property therefore accepts null, and `fromStrictInput`
 * takes such a null out again.
 *
 * Constraints without a place there (`minLength`, `uniqueItems`) go to the description, which accepts more; the pipeline
 * still checks them. What would accept *less* (free keys, any value, tuples, recursion) makes a tool unfit for strict mode:
 * then `reasons` says why, and the tool is sent without it.
 */
import { providerMessages } from "../../errors/messages/providers.ts";
import { type ConversionNote, noteAt } from "./conversion-note.ts";
import { isOpenObject } from "./flatten-place.ts";
import { flattenTop, ONLY_BELOW_TOP } from "./flatten-top.ts";
import { describe } from "./moved-text.ts";
import { type Form, INNER_KEYWORDS, readShape, type Shape } from "./read-shape.ts";
import { listedTexts, namedSchemas, type SchemaObject } from "./schema-object.ts";
import { findLimitProblems } from "./strict-limits.ts";

/** A schema for strict mode, or why there is none. */
export type StrictSchema =
  | {
      readonly fits: true;
      readonly schema: SchemaObject;
      /** For each object's schema the properties for which null stands for leaving them out. */
      readonly optional: ReadonlyMap<SchemaObject, ReadonlySet<string>>;
      readonly notes: readonly ConversionNote[];
    }
  | { readonly fits: false; readonly reasons: readonly string[] };

/** Converts the schema of a tool's input. */
export function toStrictSchema(root: SchemaObject): StrictSchema {
  const top = flattenTop(root, ONLY_BELOW_TOP);
  const writing: Writing = { optional: new Map(), notes: [...top.notes], reasons: [] };
  if (top.isCut) writing.reasons.push(providerMessages.strictReference);
  const shape = readShape(top.schema, top.scope);
  const schema = writeShape({ ...shape, moved: [...top.moved, ...shape.moved] }, { path: [], writing });
  const reasons = [...new Set([...writing.reasons, ...findLimitProblems(schema)])];
  if (reasons.length > 0) return { fits: false, reasons };
  return { fits: true, schema, optional: writing.optional, notes: writing.notes };
}

interface Writing {
  readonly optional: Map<SchemaObject, ReadonlySet<string>>;
  readonly notes: ConversionNote[];
  readonly reasons: string[];
}

interface At {
  readonly path: readonly string[];
  readonly writing: Writing;
}

function writeShape(shape: Shape, at: At, further: readonly string[] = []): SchemaObject {
  const { path, writing } = at;
  if (shape.isAny) writing.reasons.push(providerMessages.strictAny);
  else if (shape.forms.length === 0 && !shape.nullable) writing.reasons.push(providerMessages.strictNothing);
  if (shape.notes.includes(providerMessages.notFollowed)) writing.reasons.push(providerMessages.strictReference);
  for (const keyword of shape.moved.flatMap(Object.keys)) {
    if (path.length > 0) writing.notes.push(noteAt(path, providerMessages.unsupported(keyword), true));
  }
  for (const problem of shape.notes) writing.notes.push(noteAt(path, problem, true));
  const nulls: readonly SchemaObject[] = shape.nullable ? [{ type: "null" }] : [];
  const [only, ...others] = shape.forms;
  if (only === undefined) return { ...nulls[0], ...describe(shape.description, shape.moved, further) };
  if (others.length > 0) {
    const forms = shape.forms.map((form) => finish(writeForm(form, at), describe(form.description, form.moved), at));
    return { anyOf: [...forms, ...nulls], ...describe(shape.description, shape.moved, further) };
  }
  const written = writeForm(only, at);
  const moved = [...shape.moved, ...only.moved, ...written.moved];
  const described = describe(shape.description ?? only.description, moved, further);
  return finish({ ...written, moved: [], isNullable: shape.nullable }, described, at);
}

interface WrittenForm {
  readonly schema: SchemaObject;
  readonly moved: readonly SchemaObject[];
  readonly optional?: ReadonlySet<string>;
  readonly isNullable?: boolean;
}

/** Puts a form together, and remembers its optional properties under the very object that is sent. */
function finish({ schema, moved, optional, isNullable }: WrittenForm, described: SchemaObject, { writing }: At) {
  const text = typeof described["description"] === "string" ? described["description"] : undefined;
  const finished = { ...(isNullable === true ? withNull(schema) : schema), ...describe(text, moved) };
  if (optional !== undefined) writing.optional.set(finished, optional);
  return finished;
}

function withNull(schema: SchemaObject): SchemaObject {
  const { enum: values } = schema;
  return {
    ...schema,
    type: [schema["type"], "null"],
    ...(Array.isArray(values) ? { enum: [...values.map((value: unknown) => value), null] } : {}),
  };
}

/** The formats that are documented; Ajv knows more. */
const FORMATS: ReadonlySet<unknown> = new Set([
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uuid",
]);
const KEPT: ReadonlySet<string> = new Set([
  "pattern",
  "format",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minItems",
  "maxItems",
]);

function writeForm(form: Form, at: At): WrittenForm {
  const { type, keywords, values } = form;
  const entries = Object.entries(keywords).filter(([keyword]) => !INNER_KEYWORDS.has(keyword));
  const moved = entries.filter((entry) => !isKept(entry)).map(([keyword, value]) => ({ [keyword]: value }));
  for (const keyword of moved.flatMap(Object.keys)) {
    at.writing.notes.push(noteAt(at.path, providerMessages.unsupported(keyword), true));
  }
  const kept = {
    type,
    ...Object.fromEntries(entries.filter(isKept)),
    ...(values === undefined ? {} : { enum: values }),
  };
  if (values?.some((value) => typeof value === "object") === true) {
    at.writing.reasons.push(providerMessages.strictValues);
  }
  if (type === "array") return { schema: { ...kept, items: writeItems(form, at) }, moved };
  return type === "object" ? writeObject(form, { kept, moved }, at) : { schema: kept, moved };
}

function isKept([keyword, value]: readonly [string, unknown]): boolean {
  return KEPT.has(keyword) && (keyword !== "format" || FORMATS.has(value));
}

function writeItems({ keywords, scope }: Form, { path, writing }: At): SchemaObject {
  if ("prefixItems" in keywords) {
    writing.reasons.push(providerMessages.strictTuple);
    return {};
  }
  return writeShape(readShape(keywords["items"] ?? true, scope), { path: [...path, "items"], writing });
}

function writeObject(
  { keywords, scope }: Form,
  { kept, moved }: { readonly kept: SchemaObject; readonly moved: readonly SchemaObject[] },
  { path, writing }: At,
): WrittenForm {
  if (isOpenObject(keywords)) writing.reasons.push(providerMessages.strictKeys);
  const required = new Set(listedTexts(keywords["required"]));
  const optional = new Set<string>();
  const properties: Record<string, SchemaObject> = {};
  for (const [name, property] of namedSchemas(keywords["properties"])) {
    const shape = readShape(property, scope);
    const at: At = { path: [...path, name], writing };
    // Ajv fills a default in before it looks for what is required.
    const isOptional = !required.has(name) || shape.default !== undefined;
    if (!isOptional || shape.isAny) properties[name] = writeShape(shape, at);
    else if (shape.nullable) properties[name] = writeNullable(shape, at);
    else {
      optional.add(name);
      const means = shape.default === undefined ? [] : [providerMessages.nullIsDefault(JSON.stringify(shape.default))];
      properties[name] = writeShape({ ...shape, nullable: true }, at, means);
    }
  }
  return {
    schema: { ...kept, properties, required: Object.keys(properties), additionalProperties: false },
    moved,
    optional,
  };
}

/** Null is a value of its own here, so leaving the property out cannot be said, unless null is its default as well. */
function writeNullable(shape: Shape, at: At): SchemaObject {
  if (shape.default !== null) at.writing.notes.push(noteAt(at.path, providerMessages.nullMeansBoth, true));
  return writeShape(shape, at);
}
