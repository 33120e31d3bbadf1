import type { ReadableWorkspace, WritableWorkspace } from "../contract/workspace.ts";
import type { WorkTime } from "../resilience/in-time.ts";

/**
 * A tool that ignores its signal cannot be stopped in-process; it can be cut off. Every method of a guarded workspace
 * refuses once the signal is aborted, which is also the case after the tool has returned, so that nothing a tool left
 * running reaches a layer that has been settled.
 */
export function guardReadable(source: () => Source<ReadableWorkspace>, time: WorkTime): ReadableWorkspace {
  const guarded = guardedBy(source, time);
  return {
    lstat: (path) => guarded((workspace) => workspace.lstat(path)),
    stat: (path) => guarded((workspace) => workspace.stat(path)),
    readFile: (path, options) => guarded((workspace) => workspace.readFile(path, options)),
    readDirectory: (path) => guarded((workspace) => workspace.readDirectory(path)),
    readLink: (path) => guarded((workspace) => workspace.readLink(path)),
    realPath: (path) => guarded((workspace) => workspace.realPath(path)),
  };
}

/** The same for a workspace that takes changes. */
export function guardWritable(workspace: WritableWorkspace, time: WorkTime): WritableWorkspace {
  const guarded = guardedBy(() => workspace, time);
  return {
    ...guardReadable(() => workspace, time),
    writeFile: (path, content, options) => guarded((files) => files.writeFile(path, content, options)),
    makeDirectory: (path) => guarded((files) => files.makeDirectory(path)),
    remove: (path, options) => guarded((files) => files.remove(path, options)),
    rename: (from, to, options) => guarded((files) => files.rename(from, to, options)),
    setMode: (path, mode) => guarded((files) => files.setMode(path, mode)),
    makeSymlink: (target, path) => guarded((files) => files.makeSymlink(target, path)),
  };
}

type Source<W> = W | Promise<W>;

function guardedBy<W>(source: () => Source<W>, time: WorkTime) {
  return async <T>(method: (workspace: W) => Promise<T>): Promise<T> => {
    time.signal.throwIfAborted();
    const workspace = await source();
    time.signal.throwIfAborted();
    return await method(workspace);
  };
}
