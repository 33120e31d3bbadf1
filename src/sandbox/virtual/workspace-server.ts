import type { WritableWorkspace } from "../../contract/workspace.ts";
import { WorkspacePathError, type PathErrorReason } from "../../errors/workspace-path-error.ts";
import type { Frame, FrameHeader } from "../frame-protocol.ts";
import type { RequestHandler } from "../parent-channel.ts";
import { copyEntry } from "./copy-entry.ts";
import { MAX_FILE_BYTES, READ_PIECE_BYTES, type WorkspaceAnswer, type WorkspaceRequest } from "./workspace-protocol.ts";
import { parentPath } from "../../union/normalize-path.ts";

/*
 * The engine's side of the virtual shell's file system. The shell's process has no access to files at all: it asks, and
 * this answers from the workspace, which checks every path and follows no symlink out of it. Node's permission model
 * could not do that (it follows symlinks, and forbids making any), and a guest that took its process over would be left
 * with exactly these operations.
 *
 * The workspace makes missing parent directories, which a shell must not: `> no/such/file` has to fail. Hence the look at
 * the parent before something is made.
 */

interface Reply {
  readonly header: WorkspaceAnswer;
  readonly body?: Uint8Array;
}

/**
 * Answers the requests of one shell process. What POSIX has an error for is an answer; the rest is thrown.
 */
export function createWorkspaceServer(workspace: WritableWorkspace): RequestHandler {
  return async (frame, signal) => {
    const request = parseRequest(frame);
    try {
      return await perform({ workspace, request, body: frame.body, signal });
    } catch (error) {
      const name = posixNameOf(error);
      if (name === undefined) throw error;
      return { header: { error: name } };
    }
  };
}

interface Performance<R extends WorkspaceRequest = WorkspaceRequest> {
  readonly workspace: WritableWorkspace;
  readonly request: R;
  readonly body: Uint8Array;
  /** Aborted when the shell is gone. */
  readonly signal: AbortSignal;
}

async function perform({ workspace, request, body, signal }: Performance): Promise<Reply> {
  const { path } = request;
  switch (request.op) {
    case "stat":
      return { header: { stat: await workspace.stat(path) } };
    case "lstat":
      return { header: { stat: await workspace.lstat(path) } };
    case "list":
      return { header: { entries: await workspace.readDirectory(path) } };
    case "readlink":
      return { header: { text: await workspace.readLink(path) } };
    case "realpath":
      return { header: { text: await workspace.realPath(path) } };
    case "read": {
      const part = { offsetBytes: request.offsetBytes, lengthBytes: READ_PIECE_BYTES };
      return { header: {}, body: await workspace.readFile(path, part) };
    }
    default:
      await change({ workspace, request, body, signal });
      return { header: {} };
  }
}

type ChangeRequest = Extract<
  WorkspaceRequest,
  { op: "write" | "append" | "mkdir" | "remove" | "copy" | "move" | "chmod" | "symlink" }
>;

async function change({ workspace, request, body, signal }: Performance<ChangeRequest>): Promise<void> {
  const { path } = request;
  switch (request.op) {
    case "write":
      await assertParent(workspace, path);
      return await workspace.writeFile(path, body);
    case "append":
      await assertParent(workspace, path);
      return await workspace.writeFile(path, await withAppended(workspace, path, body));
    case "mkdir":
      return await makeDirectory(workspace, path, request.recursive);
    case "remove":
      return await workspace.remove(path, { recursive: request.recursive });
    case "copy":
      await assertParent(workspace, request.to);
      return await copyEntry(workspace, { from: path, to: request.to, recursive: request.recursive, signal });
    case "move":
      await assertParent(workspace, request.to);
      return await move(workspace, path, request.to);
    case "chmod":
      return await workspace.setMode(path, request.mode & 0o777);
    case "symlink":
      await assertParent(workspace, path);
      return await workspace.makeSymlink(request.target, path);
  }
}

async function assertParent(workspace: WritableWorkspace, path: string): Promise<void> {
  const parent = parentPath(path);
  if (parent === "") return;
  const { type } = await workspace.stat(parent);
  if (type !== "directory") throw posixError("ENOTDIR");
}

async function withAppended(workspace: WritableWorkspace, path: string, body: Uint8Array): Promise<Uint8Array> {
  const before = await workspace.readFile(path, { maxBytes: MAX_FILE_BYTES }).catch((error: unknown) => {
    if (posixNameOf(error) === "ENOENT") return new Uint8Array();
    throw error;
  });
  if (before.byteLength + body.byteLength > MAX_FILE_BYTES) throw posixError("EFBIG");
  return Buffer.concat([before, body]);
}

async function makeDirectory(workspace: WritableWorkspace, path: string, recursive: boolean): Promise<void> {
  if (!recursive) {
    await assertParent(workspace, path);
    if (await isThere(workspace, path)) throw posixError("EEXIST");
  }
  await workspace.makeDirectory(path);
}

async function isThere(workspace: WritableWorkspace, path: string): Promise<boolean> {
  try {
    await workspace.lstat(path);
    return true;
  } catch (error) {
    if (posixNameOf(error) === "ENOENT") return false;
    throw error;
  }
}

/** As rename(2): what is at the target is replaced, a directory only by a directory and only when it is empty. */
async function move(workspace: WritableWorkspace, from: string, to: string): Promise<void> {
  const isDirectory = (await workspace.lstat(from)).type === "directory";
  const targetType = (await isThere(workspace, to)) ? (await workspace.lstat(to)).type : undefined;
  if (isDirectory && targetType === "directory") await workspace.remove(to);
  else if (isDirectory && targetType !== undefined) throw posixError("ENOTDIR");
  else if (targetType === "directory") throw posixError("EISDIR");
  await workspace.rename(from, to, { overwrite: !isDirectory });
}

const POSIX_NAMES: Readonly<Record<PathErrorReason, string>> = {
  "not-found": "ENOENT",
  "not-a-directory": "ENOTDIR",
  "is-a-directory": "EISDIR",
  "not-a-symlink": "EINVAL",
  exists: "EEXIST",
  "not-empty": "ENOTEMPTY",
  "outside-root": "EACCES",
  "too-many-links": "ELOOP",
  "too-large": "EFBIG",
  "unsupported-type": "EACCES",
  "permission-denied": "EACCES",
  hidden: "EACCES",
  "no-room": "ENOSPC",
  "invalid-path": "EINVAL",
};

// What the file system below may answer without anything being wrong with the engine.
const PASSED_ON = new Set(["ENOSPC", "EDQUOT", "EACCES", "EPERM", "EROFS", "ENAMETOOLONG", "EFBIG"]);

function posixNameOf(error: unknown): string | undefined {
  if (error instanceof WorkspacePathError) return POSIX_NAMES[error.reason];
  if (error instanceof PosixError) return error.message;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && PASSED_ON.has(code) ? code : undefined;
}

class PosixError extends Error {}

function posixError(name: string): PosixError {
  return new PosixError(name);
}

/** What the shell's process sent, checked: from here on it has the shape that its type says. */
function parseRequest({ header }: Frame): WorkspaceRequest {
  const op = typeof header["op"] === "string" ? header["op"] : "";
  const fields = Object.hasOwn(FIELDS, op) ? FIELDS[op] : undefined;
  if (fields === undefined || !Object.entries(fields).every(([name, type]) => isOfType(header[name], type))) {
    throw new TypeError(`A request for "${op}" is malformed`);
  }
  // Every field that the operation has was checked in the line above.
  return header as FrameHeader & WorkspaceRequest;
}

type FieldType = "string" | "boolean" | "number";

const FIELDS: Readonly<Record<string, Readonly<Record<string, FieldType>>>> = {
  stat: { path: "string" },
  lstat: { path: "string" },
  list: { path: "string" },
  readlink: { path: "string" },
  realpath: { path: "string" },
  read: { path: "string", offsetBytes: "number" },
  write: { path: "string" },
  append: { path: "string" },
  mkdir: { path: "string", recursive: "boolean" },
  remove: { path: "string", recursive: "boolean" },
  copy: { path: "string", to: "string", recursive: "boolean" },
  move: { path: "string", to: "string" },
  chmod: { path: "string", mode: "number" },
  symlink: { path: "string", target: "string" },
};

function isOfType(value: unknown, type: FieldType): boolean {
  return type === "number" ? Number.isSafeInteger(value) && Number(value) >= 0 : typeof value === type;
}
