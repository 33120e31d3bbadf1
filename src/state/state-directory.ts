import { createHash } from "node:crypto";
import { mkdir, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

import { ConfigurationError } from "../errors/configuration-error.ts";
import {
  rootInsideState,
  rootMissing,
  rootNotADirectory,
  stateHomeRelative,
  stateInsideRoot,
  stateUnusable,
} from "../errors/messages/state.ts";
import { StateError } from "../errors/state-error.ts";

/** Where everything lies that Cofferdam keeps about one root. */
export interface StateDirectory {
  /** The root's real path. */
  readonly root: string;
  /** The directory itself. */
  readonly path: string;
  /** One directory per layer. */
  readonly layers: string;
  /** One directory per landing, with what it replaced. */
  readonly landings: string;
  /** Contents of the root as they were before a layer touched them. */
  readonly preimages: string;
  /** A file per process that has the workspace open. */
  readonly seats: string;
  /** Outputs that were too long for a result. */
  readonly outputs: string;
}

/**
 * `$COFFERDAM_STATE`, else `$XDG_STATE_HOME/cofferdam`, else `~/.local/state/cofferdam`.
 * @throws ConfigurationError when `$COFFERDAM_STATE` is relative: from another directory the pending changes would seem lost.
 */
export function resolveStateHome(env: Readonly<Record<string, string | undefined>>): string {
  const chosen = env["COFFERDAM_STATE"];
  if (chosen) {
    if (!isAbsolute(chosen)) throw new ConfigurationError(stateHomeRelative(chosen));
    return resolve(chosen);
  }
  // The XDG specification has relative values ignored.
  const xdg = env["XDG_STATE_HOME"];
  if (xdg && isAbsolute(xdg)) return join(xdg, "cofferdam");
  return join(env["HOME"] || homedir(), ".local", "state", "cofferdam");
}

/**
 * Makes the state directory of a root, readable by its owner only, or opens the one that is there.
 * @throws ConfigurationError when the root is no directory, or one of the two lies in the other.
 */
export async function openStateDirectory(options: {
  readonly stateHome: string;
  readonly root: string;
}): Promise<StateDirectory> {
  const root = await resolveRoot(options.root);
  const stateHome = await realPathOfPlanned(resolve(options.stateHome));
  if (isWithin(stateHome, root)) throw new ConfigurationError(stateInsideRoot({ root, stateHome }));
  if (isWithin(root, stateHome)) throw new ConfigurationError(rootInsideState({ root, stateHome }));

  const digest = createHash("sha256").update(root).digest("hex").slice(0, 16);
  const path = join(stateHome, "roots", `${basename(root) || "root"}-${digest}`);
  const directory = {
    root,
    path,
    layers: join(path, "layers"),
    landings: join(path, "landings"),
    preimages: join(path, "preimages"),
    seats: join(path, "seats"),
    outputs: join(path, "outputs"),
  };
  for (const each of [
    path,
    directory.layers,
    directory.landings,
    directory.preimages,
    directory.seats,
    directory.outputs,
  ]) {
    await makeDirectories(each);
  }
  return directory;
}

/** Step by step: Node's own recursive `mkdir` never ends where a directory may neither be made nor refused, as in /proc. */
async function makeDirectories(path: string): Promise<void> {
  const missing: string[] = [];
  for (let each = path; !(await isDirectory(each)); each = dirname(each)) missing.push(each);
  for (const each of missing.toReversed()) {
    try {
      await mkdir(each, { mode: 0o700 });
    } catch (error) {
      // Another process may make the same directories at the same time.
      if (await isDirectory(each)) continue;
      const reason = error instanceof Error && "code" in error ? String(error.code) : String(error);
      throw new StateError(stateUnusable(path, MKDIR_PROBLEMS[reason] ?? reason), { cause: error });
    }
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    // Whatever is wrong with it, it is no directory that can be used, and making it says why.
    return dirname(path) === path;
  }
}

const MKDIR_PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of the path is not a directory",
  EEXIST: "it exists and is not a directory",
  ENOENT: "the system makes no directories there",
};

async function resolveRoot(root: string): Promise<string> {
  let real: string;
  try {
    real = await realpath(root);
  } catch (error) {
    throw new ConfigurationError(rootMissing(root), { cause: error });
  }
  if (!(await stat(real)).isDirectory()) throw new ConfigurationError(rootNotADirectory(root));
  return real;
}

/** The real path that a directory will have once it is made: its nearest existing ancestor decides. */
async function realPathOfPlanned(path: string): Promise<string> {
  let existing = path;
  for (;;) {
    try {
      return join(await realpath(existing), relative(existing, path));
    } catch (error) {
      const parent = join(existing, "..");
      if (parent === existing) throw error;
      existing = parent;
    }
  }
}

function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}
