import { parentPath } from "../union/normalize-path.ts";
import { pathToBytes } from "../union/path-bytes.ts";

/** The last part of `path`. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Every directory above `path` except the root, the outermost first. */
export function ancestorsOf(path: string): readonly string[] {
  const ancestors: string[] = [];
  for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1)) {
    ancestors.push(path.slice(0, slash));
  }
  return ancestors;
}

/** Adds every directory above `path`. Stops at the first that is there, because those above it are there as well. */
export function addAncestors(ancestors: Set<string>, path: string): void {
  for (let above = parentPath(path); above !== "" && !ancestors.has(above); above = parentPath(above))
    ancestors.add(above);
}

/** Tells of any number of paths whether they lie below one of some; looks at each directory once. */
export function createBelowTest(holders: ReadonlySet<string>): (path: string) => boolean {
  const known = new Map<string, boolean>([["", false]]);
  return (path) => {
    const passed: string[] = [];
    let above = parentPath(path);
    while (!known.has(above) && !holders.has(above)) {
      passed.push(above);
      above = parentPath(above);
    }
    const isBelow = known.get(above) ?? true;
    for (const directory of passed) known.set(directory, isBelow);
    return isBelow;
  };
}

/** Sorts by the bytes of the paths, which puts a directory before what it holds. */
export function sortByPath<T extends { readonly path: string }>(items: Iterable<T>): readonly T[] {
  return [...items]
    .map((item) => ({ item, bytes: pathToBytes(item.path) }))
    .toSorted((left, right) => Buffer.compare(left.bytes, right.bytes))
    .map(({ item }) => item);
}
