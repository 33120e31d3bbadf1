import { escapeText } from "./escape-text.ts";

/** What a command made that could not be kept, with the reasons; nothing when all of it could. */
export function renderRefused(metadata: Readonly<Record<string, unknown>>): string {
  const refused = metadata["refused"];
  if (!Array.isArray(refused) || refused.length === 0) return "";
  const lines = refused.slice(0, SHOWN).map(renderEntry);
  const more = refused.length - lines.length;
  const rest = more > 0 ? [`  … ${more} more; --json lists all`] : [];
  const count = `${refused.length} ${refused.length === 1 ? "entry" : "entries"}`;
  return [`cofferdam: Could not keep ${count}:`, ...lines, ...rest, ""].join("\n");
}

const SHOWN = 40;

function renderEntry(entry: unknown): string {
  const { path, reason }: Readonly<Record<string, unknown>> = isRecord(entry) ? entry : {};
  return `  ${escapeText(String(path ?? "?"))}: ${escapeText(String(reason ?? "no reason was given"))}`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
