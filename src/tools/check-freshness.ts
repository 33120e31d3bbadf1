import { isDeepStrictEqual } from "node:util";
import type { ToolOutcome } from "../contract/tool.ts";
import type { ReadableWorkspace } from "../contract/workspace.ts";
import { editToolMessages } from "../errors/messages/edit-tools.ts";
import { ContentPrinter, contentPrint, type FilePrint, readMemoryOf, statPrint } from "./read-memory.ts";

/** The part of a tool's context that the guard needs. */
export interface GuardContext {
  readonly workspace: ReadableWorkspace;
  readonly state: Map<string, unknown>;
}

/** What is about to be done to a file. */
export interface Overwrite {
  readonly path: string;
  /** A verb, as in "Cannot write …". */
  readonly action: string;
  /** A file that was never read may not be overwritten either. @default false */
  readonly mustBeKnown?: boolean;
  /** The file's whole content, where it has just been read anyway. */
  readonly content?: Uint8Array;
}

/** The answer when an existing file must not be overwritten: it changed since the agent read it, or was never read. */
export type StaleFile = Extract<ToolOutcome, { success: false }>;

/**
 * Looks whether an existing file is as the agent knows it.
 * @throws WorkspacePathError when there is no file at the path.
 */
export async function findStaleness(
  { path, action, mustBeKnown = false, content }: Overwrite,
  { workspace, state }: GuardContext,
): Promise<StaleFile | undefined> {
  const realPath = await workspace.realPath(path);
  const known = readMemoryOf(state).recall(realPath);
  if (known === undefined) {
    return mustBeKnown ? { success: false, error: editToolMessages.unread(action, path) } : undefined;
  }
  const now = await printNow(workspace, realPath, { by: known.by, content });
  if (isDeepStrictEqual(now, known)) return undefined;
  return { success: false, error: editToolMessages.changedSinceRead(action, path), errorKind: "conflict" };
}

interface PrintRequest {
  readonly by: FilePrint["by"];
  readonly content: Uint8Array | undefined;
}

async function printNow(workspace: ReadableWorkspace, path: string, { by, content }: PrintRequest): Promise<FilePrint> {
  if (by === "stat") return statPrint(await workspace.stat(path));
  return content === undefined ? await printFile(workspace, path) : contentPrint(content);
}

const PIECE_BYTES = 1_048_576;

async function printFile(workspace: ReadableWorkspace, path: string): Promise<FilePrint> {
  const printer = new ContentPrinter();
  for (let offsetBytes = 0; ; offsetBytes += PIECE_BYTES) {
    const piece = await workspace.readFile(path, { offsetBytes, lengthBytes: PIECE_BYTES });
    printer.add(piece);
    if (piece.byteLength < PIECE_BYTES) return printer.finish();
  }
}
