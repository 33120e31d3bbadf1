import type { EntryStat, ReadableWorkspace } from "../contract/workspace.ts";
import { WorkspacePathError } from "../errors/workspace-path-error.ts";

/** What is at a path itself, a symlink not followed, or `undefined` when there is nothing. */
export async function findEntry(workspace: ReadableWorkspace, path: string): Promise<EntryStat | undefined> {
  return await unlessMissing(() => workspace.lstat(path));
}

/** What a path leads to, symlinks followed, or `undefined` when there is nothing. */
export async function findTarget(workspace: ReadableWorkspace, path: string): Promise<EntryStat | undefined> {
  return await unlessMissing(() => workspace.stat(path));
}

async function unlessMissing(look: () => Promise<EntryStat>): Promise<EntryStat | undefined> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof WorkspacePathError && error.reason === "not-found") return undefined;
    throw error;
  }
}
