import { createHash } from "node:crypto";
import { mkdir, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, isAbsolute, join, relative, resolve, sep } from "node:path";

import { ConfigurationError } from "../errors/configuration-error.ts";
import { rootInsideState, rootMissing, rootNotADirectory, stateInsideRoot } from "../errors/messages/state.ts";

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

/** `$COFFERDAM_STATE`, else `$XDG_STATE_HOME/cofferdam`, else `~/.local/state/cofferdam`. */
export function resolveStateHome(env: Readonly<Record<string, string | undefined>>): string {
  if (env["COFFERDAM_STATE"]) return resolve(env["COFFERDAM_STATE"]);
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
    await mkdir(each, { recursive: true, mode: 0o700 });
  }
  return directory;
}

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
