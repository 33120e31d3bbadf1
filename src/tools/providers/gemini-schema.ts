/**
 * Gemini describes the parameters of a function in a subset of OpenAPI 3.0 (https://ai.google.dev/api/caching#Schema and
 * https://cloud.google.com/vertex-ai/docs/reference/rest/v1/Schema): one type for each place, `nullable`, `enum` for texts
 * only, `anyOf` with nothing beside it, no references, no exclusive limits. An object without properties is refused.
 *
 * What it cannot say goes to the description. An object with keys of any name cannot be said at all and is asked for as JSON
 * text, which the pipeline reads where its own schema takes an object and no text.
 */
import { providerMessages } from "../../errors/messages/providers.ts";
import { type ConversionNote, noteAt } from "./conversion-note.ts";
import { CLOSING, isOpenObject } from "./flatten-place.ts";
import { flattenTop, ONLY_BELOW_TOP } from "./flatten-top.ts";
import type { GeminiSchema } from "./gemini-form.ts";
import { addLimits } from "./gemini-limits.ts";
import { describe } from "./moved-text.ts";
import { type Form, readShape, type Shape } from "./read-shape.ts";
import { listedSchemas, listedTexts, namedSchemas, type SchemaObject } from "./schema-object.ts";

/** What Gemini is shown of a tool's input; an input without properties has no schema. */
export interface GeminiParameters {
  readonly schema?: GeminiSchema;
  readonly notes: readonly ConversionNote[];
}

/** Converts the schema of a tool's input. */
export function toGeminiSchema(root: SchemaObject): GeminiParameters {
  const top = flattenTop(root, ONLY_BELOW_TOP);
  const notes: ConversionNote[] = [...top.notes];
  if (top.isCut) notes.push(noteAt([], providerMessages.notFollowed, true));
  const shape = readShape(top.schema, top.scope);
  const [form] = shape.forms;
  const hasProperties = form !== undefined && namedSchemas(form.keywords["properties"]).length > 0;
  if (!hasProperties) {
    const isOpen = form !== undefined && isOpenObject(form.keywords);
    return { notes: isOpen ? [...notes, noteAt([], providerMessages.moreKeys, true)] : notes };
  }
  return { schema: writeShape({ ...shape, moved: [...top.moved, ...shape.moved] }, { path: [], notes }), notes };
}

interface At {
  readonly path: readonly string[];
  readonly notes: ConversionNote[];
}

function writeShape(shape: Shape, at: At): GeminiSchema {
  const { path, notes } = at;
  for (const problem of shape.notes) notes.push(noteAt(path, problem, true));
  if (path.length > 0) {
    for (const keyword of shape.moved.flatMap(Object.keys)) {
      notes.push(noteAt(path, providerMessages.unsupported(keyword), true));
    }
  }
  const means = shape.default === undefined ? [] : [providerMessages.isDefault(JSON.stringify(shape.default))];
  if (shape.isAny) return writeAny(shape, at, means);
  const [only, ...others] = shape.forms;
  const nullable = shape.nullable ? { nullable: true } : {};
  // Only null fits: a type has to be named, and the description of the null says the rest.
  if (only === undefined) return { type: "STRING", ...nullable, ...describe(shape.description, shape.moved, means) };
  if (others.length === 0) {
    const description = shape.description ?? only.description;
    return {
      ...writeForm({ ...only, moved: [...shape.moved, ...only.moved] }, description, { at, means }),
      ...nullable,
    };
  }
  // Nothing may stand beside "anyOf", so that each form carries the description and the null.
  return {
    anyOf: sayable(shape.forms, at).map((form) => {
      const description = [shape.description, form.description].filter((text) => text !== undefined).join(" ");
      const moved = [...shape.moved, ...form.moved];
      return {
        ...writeForm({ ...form, moved }, description === "" ? undefined : description, { at, means }),
        ...nullable,
      };
    }),
  };
}

/** Beside a text the JSON text of an object would be taken for that text, so such an object cannot be offered. */
function sayable(forms: readonly Form[], { path, notes }: At): readonly Form[] {
  if (!forms.some(({ type }) => type === "string")) return forms;
  const said = forms.filter((form) => !isTextOfObject(form));
  if (said.length < forms.length) notes.push(noteAt(path, providerMessages.noFreeObject, true));
  return said;
}

function isTextOfObject({ type, keywords }: Form): boolean {
  return type === "object" && namedSchemas(keywords["properties"]).length === 0;
}

function writeAny(shape: Shape, { path, notes }: At, means: readonly string[]): GeminiSchema {
  notes.push(noteAt(path, providerMessages.anyValue, true));
  const described = describe(shape.description, shape.moved, means);
  return {
    anyOf: (["STRING", "NUMBER", "BOOLEAN"] as const).map((type) => ({ type, ...described, nullable: true })),
  };
}

const TYPES = {
  string: "STRING",
  number: "NUMBER",
  integer: "INTEGER",
  boolean: "BOOLEAN",
  array: "ARRAY",
  object: "OBJECT",
} as const;

interface Where {
  readonly at: At;
  /** Sentences for the end of the description. */
  readonly means: readonly string[];
}

function writeForm(form: Form, description: string | undefined, { at, means }: Where): GeminiSchema {
  if (form.type === "object") return writeObject(form, description, { at, means });
  const limits = addLimits(form, (problem, lossy) => at.notes.push(noteAt(at.path, problem, lossy)));
  const described = describe(description, [...form.moved, ...limits.moved], means);
  const written: GeminiSchema = { type: TYPES[form.type], ...described, ...limits.kept };
  return form.type === "array" ? { ...written, items: writeItems(form, at) } : written;
}

function writeItems({ keywords, scope }: Form, { path, notes }: At): GeminiSchema {
  const at: At = { path: [...path, "items"], notes };
  const tuple = listedSchemas(keywords["prefixItems"]);
  if (tuple.length === 0) return writeShape(readShape(keywords["items"] ?? true, scope), at);
  notes.push(noteAt(path, providerMessages.tuple, true));
  const rest = keywords["items"] === false ? [] : [keywords["items"] ?? {}];
  return writeShape(readShape({ anyOf: [...tuple, ...rest] }, scope), at);
}

function writeObject(form: Form, description: string | undefined, { at, means }: Where): GeminiSchema {
  const { keywords, scope, moved } = form;
  const listed = namedSchemas(keywords["properties"]);
  const note = (problem: string, lossy: boolean) => at.notes.push(noteAt(at.path, problem, lossy));
  if (listed.length === 0) {
    note(providerMessages.freeObject, true);
    const said = Object.entries(keywords).map(([keyword, value]) => ({ [keyword]: value }));
    return { type: "STRING", ...describe(description, [...moved, ...said], [...means, providerMessages.jsonText]) };
  }
  const isOpen = isOpenObject(keywords);
  if (isOpen) note(providerMessages.moreKeys, true);
  const limits = addLimits(form, note);
  const properties = listed.map(
    ([name, property]) => [name, writeShape(readShape(property, scope), { ...at, path: [...at.path, name] })] as const,
  );
  const required = listedTexts(keywords["required"]).filter((name) =>
    // Ajv fills a default in before it looks for what is required.
    listed.some(([known, property]) => known === name && property["default"] === undefined),
  );
  return {
    type: "OBJECT",
    ...describe(description, [...moved, ...limits.moved, ...(isOpen ? openKeywords(keywords) : [])], means),
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
    ...limits.kept,
  };
}

function openKeywords(keywords: SchemaObject): readonly SchemaObject[] {
  return CLOSING.flatMap((keyword) => (keywords[keyword] === undefined ? [] : [{ [keyword]: keywords[keyword] }]));
}
