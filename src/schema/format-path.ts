/** Writes the way to a place in an input as a dotted path; `root` names the whole. */
export function formatPath(path: readonly string[], root = "the input"): string {
  return path.length === 0 ? root : path.map(formatPart).join(".");
}

/** Keys of the input come from the model: what is long or has odd characters is cut and quoted. */
function formatPart(part: string): string {
  if (/^[\w$-]{1,64}$/.test(part)) return part;
  return JSON.stringify(part.length > 64 ? `${part.slice(0, 64)}…` : part);
}
