import { accessSync, constants, realpathSync } from "node:fs";
import { basename, join } from "node:path";

/*
 * The programs of the host that open a sandbox. They are taken from where a system keeps its own, never from the engine's
 * PATH, which may begin with a directory that an agent can write to.
 */

/** Absolute paths of what is needed to open a sandbox. */
export interface HostPrograms {
  readonly bwrap: string;
  readonly bash: string;
  readonly unshare: string;
  readonly mount: string;
  /** Gives up root where the engine has it. */
  readonly setpriv: string;
  readonly mkfifo: string;
}

const PLACES = ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/run/current-system/sw/bin"];
const NEEDED = ["bwrap", "bash", "unshare", "mount", "setpriv", "mkfifo"] as const;

/** Finds the programs, or says which are missing. */
export function findHostPrograms(
  places: readonly string[] = PLACES,
): { readonly programs: HostPrograms } | { readonly missing: readonly string[] } {
  const found = Object.fromEntries(NEEDED.map((name) => [name, find(name, places)]));
  const missing = NEEDED.filter((name) => found[name] === undefined);
  // Every name has a path now.
  return missing.length > 0 ? { missing } : { programs: found as Readonly<Record<(typeof NEEDED)[number], string>> };
}

function find(name: string, places: readonly string[]): string | undefined {
  return places.map((place) => join(place, name)).find((path) => isProgram(path, name));
}

function isProgram(path: string, name: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    // BusyBox has programs of these names too, which know half of the options.
    return name === "mkfifo" || basename(realpathSync(path)) !== "busybox";
  } catch {
    return false;
  }
}
