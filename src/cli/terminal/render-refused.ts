import { escapeText } from "./escape-text.ts";

/** What a command made that could not be kept, with the reasons; nothing when all of it could. */
export function renderRefused(metadata: Readonly<Record<string, unknown>>): string {
  const written = metadata["refused"];
  const refused = Array.isArray(written) ? written.filter(isEntry) : [];
  if (refused.length === 0) return "";
  const lines = refused.slice(0, SHOWN).map(({ path, reason }) => `  ${escapeText(path)}: ${escapeText(reason)}`);
  const more = refused.length - lines.length;
  const rest = more > 0 ? [`  … ${more} more; --json lists all`] : [];
  const count = `${refused.length} ${refused.length === 1 ? "entry" : "entries"}`;
  return [`cofferdam: Could not keep ${count}:`, ...lines, ...rest, ""].join("\n");
}

const SHOWN = 40;

/** Metadata is open, but the engine writes this key after the tool's own. */
function isEntry(value: unknown): value is { readonly path: string; readonly reason: string } {
  if (typeof value !== "object" || value === null || !("path" in value) || !("reason" in value)) return false;
  return typeof value.path === "string" && typeof value.reason === "string";
}
