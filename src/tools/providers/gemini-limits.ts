import { providerMessages } from "../../errors/messages/providers.ts";
import type { GeminiSchema } from "./gemini-form.ts";
import { type Form, INNER_KEYWORDS } from "./read-shape.ts";
import type { SchemaObject } from "./schema-object.ts";

/** What of a form's constraints Gemini has a field for, and the rest. */
export interface GeminiLimits {
  readonly kept: Pick<
    GeminiSchema,
    | "enum"
    | "format"
    | "pattern"
    | "minLength"
    | "maxLength"
    | "minimum"
    | "maximum"
    | "minItems"
    | "maxItems"
    | "minProperties"
    | "maxProperties"
  >;
  readonly moved: readonly SchemaObject[];
}

/** Divides the constraints of a form. */
export function addLimits(form: Form, note: (problem: string, lossy: boolean) => void): GeminiLimits {
  const choice = addChoice(form, note);
  const kept: Record<string, unknown> = { ...choice.kept };
  const moved: SchemaObject[] = [...choice.moved];
  for (const [keyword, value] of Object.entries(form.keywords)) {
    if (INNER_KEYWORDS.has(keyword)) continue;
    const field = fieldOf(keyword, value, form);
    if (field === undefined) {
      moved.push({ [keyword]: value });
      note(providerMessages.unsupported(keyword), true);
      continue;
    }
    if (field.isRewritten) note(providerMessages.rewritten(keyword, `"${field.name}"`), false);
    kept[field.name] = tighter(field, kept[field.name]);
  }
  return { kept, moved };
}

const COUNTS: ReadonlySet<string> = new Set([
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
]);

interface Field {
  readonly name: string;
  readonly value: unknown;
  readonly isRewritten?: boolean;
}

function fieldOf(keyword: string, value: unknown, { type, values }: Form): Field | undefined {
  if (COUNTS.has(keyword)) return { name: keyword, value: String(value) };
  if (keyword === "pattern" || keyword === "minimum" || keyword === "maximum") return { name: keyword, value };
  // Beside a choice the format says that it is one. Other formats of texts are refused by the Gemini API.
  if (keyword === "format") return value === "date-time" && values === undefined ? { name: keyword, value } : undefined;
  if (type !== "integer" || typeof value !== "number") return undefined;
  // The next integer says the same as a limit that is excluded.
  if (keyword === "exclusiveMinimum") return { name: "minimum", value: Math.floor(value) + 1, isRewritten: true };
  if (keyword === "exclusiveMaximum") return { name: "maximum", value: Math.ceil(value) - 1, isRewritten: true };
  return undefined;
}

function tighter({ name, value }: Field, known: unknown): unknown {
  if (typeof known !== "number" || typeof value !== "number") return value;
  return name === "minimum" ? Math.max(known, value) : Math.min(known, value);
}

function addChoice({ type, values }: Form, note: (problem: string, lossy: boolean) => void): GeminiLimits {
  if (values === undefined) return { kept: {}, moved: [] };
  const texts = values.filter((value) => typeof value === "string");
  if (type === "string" && !texts.includes("")) return { kept: { format: "enum", enum: texts }, moved: [] };
  note(type === "string" ? providerMessages.noEmptyChoice : providerMessages.choiceOfNumbers, true);
  return { kept: {}, moved: [{ enum: values }] };
}
