import { WorkspacePathError, type PathErrorReason } from "../workspace-path-error.ts";

/*
 * The sentences about paths. The model reads them, so they name the path as it was asked for, never one of the host, and
 * whatever a name could hide or forge (control characters, direction marks, stray bytes) is written out.
 */

/** What was asked for: the verb of the sentence, and the path as the caller gave it. */
export interface PathRequest {
  readonly action: string;
  readonly path: string;
}

/** The error for a path that cannot be used as asked. */
export function pathError(reason: PathErrorReason, request: PathRequest): WorkspacePathError {
  const message = `Cannot ${request.action} "${displayPath(request.path)}": ${EXPLANATIONS[reason]}`;
  return new WorkspacePathError(message, { reason, path: request.path });
}

/** The error for more bytes than the caller takes. */
export function tooLargeError(
  request: PathRequest,
  sizes: { sizeBytes: number; maxBytes: number },
): WorkspacePathError {
  const message = `Cannot ${request.action} "${displayPath(request.path)}": ${sizes.sizeBytes} bytes would have to be read; at most ${sizes.maxBytes} bytes are allowed, so ask for a part of it`;
  return new WorkspacePathError(message, { reason: "too-large", path: request.path });
}

/** A pattern of `hide` that hides nothing, or would take something back. */
export function unusableHidePattern(pattern: string): string {
  return `Cannot hide "${displayPath(pattern)}": it is no pattern that names paths; write a glob as in .gitignore, without "!" and "#" at its start`;
}

/** Says that the file system itself failed; `code` is the error's POSIX name. */
export function fileSystemFailure(request: PathRequest, code: string): string {
  return `Cannot ${request.action} "${displayPath(request.path)}": the file system answered ${code}; check the disk that holds the workspace and its layers`;
}

/** Says that a layer on disk is not what its manifest says. */
export function damagedLayer(path: string): string {
  return `Cannot use the layer at "${displayPath(path)}": what lies there is not what the layer's manifest says; drop the layer`;
}

/**
 * A path for people and models: control characters, direction marks, invisible characters and stray bytes are written as
 * escapes, and so are `\` and `"`, so that two different paths never look alike. It is never cut.
 */
export function displayPath(path: string): string {
  return path.replace(HIDDEN_OR_FORGING, escapeCharacter);
}

/** Everything that does not show, shows as something else, or reorders its surroundings; the plain space is fine. */
const HIDDEN_OR_FORGING = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\\"]|(?! )\p{Zs}/gu;

const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\\", "\\\\"],
  ['"', '\\"'],
]);

function escapeCharacter(character: string): string {
  const short = SHORT_ESCAPES.get(character);
  if (short !== undefined) return short;
  const codePoint = character.codePointAt(0) ?? 0;
  const strayByte = codePoint - 0xdc00;
  if (codePoint < 0x80) return `\\x${codePoint.toString(16).padStart(2, "0")}`;
  if (strayByte >= 0x80 && strayByte <= 0xff) return `\\x${strayByte.toString(16)}`;
  return `\\u{${codePoint.toString(16)}}`;
}

const EXPLANATIONS: Readonly<Record<PathErrorReason, string>> = {
  "not-found": "there is nothing at this path; list its directory to see what is there",
  "not-a-directory": "a part of it that has to be a directory is something else; name an existing directory",
  "is-a-directory": "it is a directory; name a file",
  "not-a-symlink": "it is not a symlink; name a symlink",
  exists: "there is something at this path already; name a free path, or remove what is there first",
  "not-empty": "the directory is not empty; remove what is in it first, or remove it recursively",
  "outside-root": "it leads out of the workspace; name a path inside it, relative to its root",
  "too-many-links": "more than 40 symlinks lead on from it; name the file itself",
  "too-large": "it is too large; ask for a part of it",
  "unsupported-type": "it is a device, a socket or a FIFO; only files, directories and symlinks can be used",
  "permission-denied": "its permission bits do not allow that; change its mode first, or use another path",
  hidden: "the policy hides this path, so that nothing can be made there; choose another path",
  "no-room": "the workspace holds as much as it may; write less, or have pending changes landed or discarded first",
  "invalid-path":
    "it is no possible path; a path has no NUL, at most 255 bytes in a name and at most 3072 bytes in all, and is not the workspace's root where a part of it is meant",
};
