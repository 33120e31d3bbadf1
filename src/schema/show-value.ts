const MAX_SHOWN = 60;
const MAX_WORDS = 20;

/** Shows a value in a message: scalars as JSON, cut when long; containers by their kind. */
export function showValue(value: unknown): string {
  if (typeof value === "string") return showText(value);
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : "an array";
  if (typeof value === "object" && value !== null) return "an object";
  return String(value);
}

/** Names a type of JSON Schema with its article. */
export function nameType(type: string): string {
  return TYPE_NAMES[type] ?? type;
}

/** Joins alternatives: "a", "a or b", "a, b or c". A long list is cut. */
export function listWords(words: readonly string[]): string {
  const shown = words.length > MAX_WORDS ? [...words.slice(0, MAX_WORDS), `${words.length - MAX_WORDS} others`] : words;
  if (shown.length < 2) return shown.join("");
  return `${shown.slice(0, -1).join(", ")} or ${shown.at(-1) ?? ""}`;
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  integer: "an integer",
  boolean: "a boolean",
  null: "null",
  array: "an array",
  object: "an object",
};

/** Cut by code points, so that no character is halved. */
function showText(text: string): string {
  if (text.length <= MAX_SHOWN) return JSON.stringify(text);
  const start = Array.from(text.slice(0, MAX_SHOWN * 2))
    .slice(0, MAX_SHOWN)
    .join("");
  return JSON.stringify(`${start}…`);
}
