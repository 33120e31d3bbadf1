/**
 * The schema that a reference inside of one document leads to; nothing when it leads out of the document, to no schema, or
 * is malformed.
 */
export function followReference(
  reference: string,
  root: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  let current: unknown = root;
  for (const part of reference.split("/").slice(1)) {
    const key = decodePart(part);
    if (key === undefined || typeof current !== "object" || current === null || !Object.hasOwn(current, key)) {
      return undefined;
    }
    // Checked just above to be an object that has the key.
    current = (current as Record<string, unknown>)[key];
  }
  return isSchemaObject(current) ? current : undefined;
}

function decodePart(part: string): string | undefined {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    // Malformed percent-encoding: the compiler reports the reference.
    return undefined;
  }
}

function isSchemaObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
