import { pathToBytes } from "../union/path-bytes.ts";

/** The directory that holds `path`; `""` is the root. */
export function parentOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash === -1 ? "" : path.slice(0, slash);
}

/** The last part of `path`. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** `name` in `directory`, where `""` is the root. */
export function joinPath(directory: string, name: string): string {
  return directory === "" ? name : `${directory}/${name}`;
}

/** Every directory above `path` except the root, the outermost first. */
export function ancestorsOf(path: string): readonly string[] {
  const ancestors: string[] = [];
  for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1)) {
    ancestors.push(path.slice(0, slash));
  }
  return ancestors;
}

/** Sorts by the bytes of the paths, which puts a directory before what it holds. */
export function sortByPath<T extends { readonly path: string }>(items: Iterable<T>): readonly T[] {
  return [...items]
    .map((item) => ({ item, bytes: pathToBytes(item.path) }))
    .toSorted((left, right) => Buffer.compare(left.bytes, right.bytes))
    .map(({ item }) => item);
}
