import type { EntryStat, ReadableWorkspace } from "../contract/workspace.ts";
import { WorkspacePathError } from "../errors/workspace-path-error.ts";

/** What is at a path itself, a symlink not followed, or `undefined` when there is nothing. */
export async function findEntry(workspace: ReadableWorkspace, path: string): Promise<EntryStat | undefined> {
  try {
    return await workspace.lstat(path);
  } catch (error) {
    if (error instanceof WorkspacePathError && error.reason === "not-found") return undefined;
    throw error;
  }
}
