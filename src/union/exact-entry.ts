import type { FileHandle } from "node:fs/promises";

import { WorkspacePathError } from "../errors/workspace-path-error.ts";
import { openEntry } from "./open-entry.ts";
import type { LocatedEntry, UnionView } from "./union-view.ts";

/** What a view has at a path itself: reached through no symlink. */
export async function findExactly(view: UnionView, path: string): Promise<LocatedEntry | undefined> {
  try {
    const entry = await view.locate(path);
    return entry?.path === path ? entry : undefined;
  } catch (error) {
    // A symlink among its ancestors leads out or in circles, or a device is there: in a workspace, nothing.
    if (error instanceof WorkspacePathError) return undefined;
    throw error;
  }
}

/** Runs `use` on a located file; `undefined` when something else lies there by now. */
export async function withLocatedFile<T>(
  view: UnionView,
  located: LocatedEntry,
  use: (file: FileHandle) => Promise<T>,
): Promise<T | undefined> {
  const layer = view.layers.find(({ id }) => id === located.layerId);
  const opened = await openEntry(view.root, { ...located, ...located.stat, layer });
  if (opened === undefined) return undefined;
  try {
    return await use(opened.handle);
  } finally {
    await opened.handle.close();
  }
}
