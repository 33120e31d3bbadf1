import type { DirectoryEntry, EntryStat } from "../../contract/workspace.ts";

/*
 * What the virtual shell's process asks the engine for: single file operations on the workspace. A request names the
 * operation and its paths in the header; content travels as the body. An answer holds `error`, a POSIX error name, or
 * what was asked for.
 */

/** An operation on the workspace. */
export type WorkspaceRequest =
  | { readonly op: "stat" | "lstat" | "list" | "readlink" | "realpath"; readonly path: string }
  /** Answered with at most `READ_PIECE_BYTES` as the body; fewer means that the file ends there. */
  | { readonly op: "read"; readonly path: string; readonly offsetBytes: number }
  /** The body is the new content, or what comes after the old one. */
  | { readonly op: "write" | "append"; readonly path: string }
  | { readonly op: "mkdir" | "remove"; readonly path: string; readonly recursive: boolean }
  | { readonly op: "copy"; readonly path: string; readonly to: string; readonly recursive: boolean }
  | { readonly op: "move"; readonly path: string; readonly to: string }
  | { readonly op: "chmod"; readonly path: string; readonly mode: number }
  | { readonly op: "symlink"; readonly path: string; readonly target: string };

/** What an operation gives back besides content. */
export interface WorkspaceAnswer {
  /** The POSIX name of what went wrong. */
  readonly error?: string;
  readonly stat?: EntryStat;
  readonly entries?: readonly DirectoryEntry[];
  /** A link's target or a resolved path. */
  readonly text?: string;
}

/** How much of a file is read at once. */
export const READ_PIECE_BYTES = 1024 * 1024;

/** The largest file that the shell reads or writes; a file is held in memory as a whole there. */
export const MAX_FILE_BYTES = 32 * 1024 * 1024;
