import type { Change } from "../contract/change.ts";
import type { ChangeSelection } from "../contract/landing.ts";

/** Selects exactly the paths of these changes: each one anchored at the root, its glob characters taken literally. */
export function selectChanges(changes: readonly Change[]): ChangeSelection {
  return { paths: changes.map(({ path }) => `/${path.replace(/[\\*?[\]{}()!+@|^$]/g, String.raw`\$&`)}`) };
}

/** Selects what was named on the command line; nothing named means everything. */
export function selectPaths(paths: readonly string[]): ChangeSelection {
  return paths.length === 0 ? {} : { paths };
}
