import { pathError } from "../errors/messages/path.ts";
import { pathFromBytes, pathToBytes } from "./path-bytes.ts";

/** Where every sandbox mounts the workspace. */
export const WORKSPACE_MOUNT = "/workspace";

/** The longest path. The rest of what Linux takes (4096 bytes) is left to the directory on the host that it lies in. */
export const MAX_PATH_BYTES = 3072;

/**
 * The one spelling of a path: relative to the root, no `.`, no `..`, no empty part; `""` is the root. A leading
 * `/workspace` is accepted.
 *
 * `..` takes away the part before it as written, which is the wrong answer where that part is a symlink to a directory
 * elsewhere: to look something up, give the path to a view as it is; it walks part by part, as POSIX does.
 * @throws WorkspacePathError `outside-root` when it climbs out or is another absolute path, `invalid-path` when no
 * file can have it.
 */
export function normalizePath(path: string): string {
  const parts: string[] = [];
  for (const part of splitPath(path)) {
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) throw pathError("outside-root", { action: "use", path });
  }
  return parts.join("/");
}

/** Whether a path is written in the one spelling that `normalizePath` gives, and is not the root. */
export function isNormalPath(path: string): boolean {
  try {
    return path !== "" && normalizePath(path) === path;
  } catch {
    // Whatever cannot be normalised is not normal.
    return false;
  }
}

/**
 * The parts of a path, from the root on; `..` is kept for whoever walks it.
 * @throws WorkspacePathError as `normalizePath`, except for a path that climbs out.
 */
export function splitPath(path: string): string[] {
  const spelled = path.isWellFormed() ? path : pathFromBytes(pathToBytes(path));
  if (!isPossible(spelled)) throw pathError("invalid-path", { action: "use", path });
  const parts = spelled.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.some(isTooLongName)) throw pathError("invalid-path", { action: "use", path });
  if (spelled.startsWith("/") && parts.shift() !== WORKSPACE_NAME) {
    throw pathError("outside-root", { action: "use", path });
  }
  return parts;
}

/** The directory that a normalised path lies in; the root's is the root. */
export function parentPath(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** The path of a name in a directory, both normalised. */
export function childPath(directory: string, name: string): string {
  return directory === "" ? name : `${directory}/${name}`;
}

const WORKSPACE_NAME = WORKSPACE_MOUNT.slice(1);
const MAX_NAME_BYTES = 255;
/** No UTF-16 unit takes more bytes in UTF-8, so that short strings need no counting. */
const MAX_BYTES_PER_UNIT = 3;

function isPossible(path: string): boolean {
  if (path.includes("\0")) return false;
  return path.length * MAX_BYTES_PER_UNIT <= MAX_PATH_BYTES || pathToBytes(path).length <= MAX_PATH_BYTES;
}

function isTooLongName(name: string): boolean {
  return name.length * MAX_BYTES_PER_UNIT > MAX_NAME_BYTES && pathToBytes(name).length > MAX_NAME_BYTES;
}
