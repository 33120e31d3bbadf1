import { relative } from "node:path";

/** A path as messages show it: from the working directory on, when it is in there. */
export function showPath(path: string): string {
  const shown = relative(process.cwd(), path);
  return shown.startsWith("..") ? path : shown;
}
