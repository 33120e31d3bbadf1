import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

import { SandboxUnavailableError } from "../errors/sandbox-unavailable-error.ts";
import { unsafeGrantPath } from "../errors/messages/sandbox.ts";

/*
 * The command line of a sandbox's child process: Node itself under its permission model, which refuses files that are
 * not granted, child processes, native addons and threads. The child is granted the code that it runs and nothing else;
 * what it may know of the workspace it asks the engine for.
 *
 * The permission model is the second wall, behind the interpreter. It lets system calls through that Node does not know
 * of, and a granted addon sees none of it, so a guest must never be given native code.
 *
 * Before Node, a shell turns core dumps off (the child's memory holds the workspace's content), and where Linux has
 * `setpriv`, the kernel is told to kill the child when its parent dies, even while it is too busy to notice.
 */

/** Which program to start with which arguments. */
export interface ChildCommand {
  readonly file: string;
  readonly args: readonly string[];
}

/** What a child process needs. */
export interface ChildLaunchOptions {
  /** The module to run, beside the one that starts it: `.ts` in the source tree, `.js` once built. */
  readonly entry: URL;
  /** Packages whose code the child loads, each as the path of its directory. */
  readonly packages: readonly string[];
  /** Single files that those packages look at. */
  readonly files?: readonly string[];
  /** More flags for Node. */
  readonly nodeFlags: readonly string[];
  /** @default the running Node */
  readonly nodeProgram?: string;
}

const SETPRIV = "/usr/bin/setpriv";

/**
 * Says how to start a child process.
 * @throws SandboxUnavailableError when a path that has to be granted would grant more than itself.
 */
export function describeChildCommand(options: ChildLaunchOptions): ChildCommand {
  const entry = fileURLToPath(options.entry);
  const sandboxFolder = dirname(fileURLToPath(import.meta.url));
  const readable = [
    sandboxFolder,
    ...packageFilesAbove(dirname(sandboxFolder)),
    ...options.packages,
    ...(options.files ?? []),
  ];
  const node = [
    options.nodeProgram ?? process.execPath,
    "--permission",
    ...readable.map(grantRead),
    "--no-warnings",
    ...options.nodeFlags,
    entry,
  ];
  const leash = canTieToParent() ? [SETPRIV, "--pdeathsig", "KILL", "--"] : [];
  return { file: "/bin/sh", args: ["-c", 'ulimit -c 0; exec "$@"', "sh", ...leash, ...node] };
}

/** Whether the kernel can be told to kill a child process with its parent. */
export function canTieToParent(): boolean {
  // Where BusyBox plays setpriv, it does not know the option.
  return process.platform === "linux" && existsSync(SETPRIV) && basename(realpathSync(SETPRIV)) === "setpriv";
}

/** The directory of a package, from the path of one of its modules. */
export function packageFolder(modulePath: string, packageName: string): string {
  const folder = join("node_modules", packageName);
  const start = modulePath.lastIndexOf(folder + sep);
  return start === -1 ? dirname(modulePath) : modulePath.slice(0, start + folder.length);
}

/** Node reads the nearest `package.json` above a module to learn its type, and asks for each on the way. */
function packageFilesAbove(folder: string): string[] {
  const files: string[] = [];
  for (let current = folder; ; current = dirname(current)) {
    const file = join(current, "package.json");
    files.push(file);
    if (existsSync(file) || dirname(current) === current) return files;
  }
}

function grantRead(path: string): string {
  // In a grant, a star stands for everything that goes on like this.
  if (path.includes("*")) throw new SandboxUnavailableError(unsafeGrantPath);
  return `--allow-fs-read=${path}`;
}
