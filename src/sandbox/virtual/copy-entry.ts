import type { EntryStat, WritableWorkspace } from "../../contract/workspace.ts";
import { MAX_FILE_BYTES } from "./workspace-protocol.ts";

/**
 * Copies a file, symlink or, with `recursive`, a directory with all below it, as `cp` does: modes are kept, a symlink is
 * copied as one inside of a tree and followed when it is the thing to copy. Copying into an existing directory merges.
 */
export async function copyEntry(
  workspace: WritableWorkspace,
  request: { readonly from: string; readonly to: string; readonly recursive: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const { recursive } = request;
  const stat = recursive ? await workspace.lstat(request.from) : await workspace.stat(request.from);
  // A list and not recursion: a guest may have made the tree deeper than the stack. Only directories are ever listed, so
  // its length is that of the widest path down, not of the tree.
  const pending = [{ from: request.from, to: request.to, stat }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    request.signal.throwIfAborted();
    const { from, to } = next;
    await copyOne(workspace, next);
    if (next.stat.type !== "directory" || !recursive) continue;
    for (const { name } of await workspace.readDirectory(from)) {
      const source = from === "" ? name : `${from}/${name}`;
      // A tree that is copied into itself would otherwise go on for ever.
      if (source !== request.to)
        pending.push({ from: source, to: `${to}/${name}`, stat: await workspace.lstat(source) });
    }
  }
}

async function copyOne(
  workspace: WritableWorkspace,
  { from, to, stat }: { readonly from: string; readonly to: string; readonly stat: EntryStat },
): Promise<void> {
  if (stat.type === "symlink") {
    await workspace.makeSymlink(await workspace.readLink(from), to);
  } else if (stat.type === "directory") {
    await workspace.makeDirectory(to);
    await workspace.setMode(to, stat.mode);
  } else {
    const content = await workspace.readFile(from, { maxBytes: MAX_FILE_BYTES });
    await workspace.writeFile(to, content, { mode: stat.mode });
  }
}
