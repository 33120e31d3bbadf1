import type { ReadableWorkspace, WritableWorkspace } from "../contract/workspace.ts";

/**
 * A tool that ignores its signal cannot be stopped in-process; it can be cut off. Every method of a guarded workspace
 * refuses once the signal is aborted, which is also the case after the tool has returned, so that nothing a tool left
 * running reaches a layer that has been settled.
 */
export function guardReadable(workspace: ReadableWorkspace, signal: AbortSignal): ReadableWorkspace {
  return {
    lstat: (path) => guard(signal, () => workspace.lstat(path)),
    stat: (path) => guard(signal, () => workspace.stat(path)),
    readFile: (path, options) => guard(signal, () => workspace.readFile(path, options)),
    readDirectory: (path) => guard(signal, () => workspace.readDirectory(path)),
    readLink: (path) => guard(signal, () => workspace.readLink(path)),
    realPath: (path) => guard(signal, () => workspace.realPath(path)),
  };
}

/** The same for a workspace that takes changes. */
export function guardWritable(workspace: WritableWorkspace, signal: AbortSignal): WritableWorkspace {
  return {
    ...guardReadable(workspace, signal),
    writeFile: (path, content, options) => guard(signal, () => workspace.writeFile(path, content, options)),
    makeDirectory: (path) => guard(signal, () => workspace.makeDirectory(path)),
    remove: (path, options) => guard(signal, () => workspace.remove(path, options)),
    rename: (from, to, options) => guard(signal, () => workspace.rename(from, to, options)),
    setMode: (path, mode) => guard(signal, () => workspace.setMode(path, mode)),
    makeSymlink: (target, path) => guard(signal, () => workspace.makeSymlink(target, path)),
  };
}

async function guard<T>(signal: AbortSignal, method: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  return await method();
}
