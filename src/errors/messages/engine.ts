/** Sentences about what `createEngine` is given. */

/** Everything that is wrong, in one sentence. */
export function badOptions(problems: readonly string[]): string {
  const wrong = problems.length === 0 ? 'it takes an object with at least a "root"' : problems.join("; ");
  return `Cannot create the engine: ${wrong}`;
}

/** An option of the wrong kind. */
export function wrongOption(name: string, wanted: string): string {
  return `${name} must be ${wanted}`;
}

/** An option that nobody reads. */
export function unknownOption(name: string, nearest: string | undefined): string {
  return nearest === undefined ? `"${name}" is no option` : `"${name}" is no option, did you mean "${nearest}"?`;
}
