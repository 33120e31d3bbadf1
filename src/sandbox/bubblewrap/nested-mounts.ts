import { readFile } from "node:fs/promises";

import type { Layer, LayerMount } from "../../contract/layer.ts";
import { pathFromBytes, pathToBytes } from "../../union/path-bytes.ts";

/*
 * An overlay shows of its lower directory one file system: where another one is mounted below the root (a volume with
 * `node_modules` is common), it shows the empty directory beneath. What is mounted there is put over it, read-only: a command
 * sees what the other tools see, and an attempt to change it fails instead of being lost.
 */

/**
 * Paths below `root`, relative to it, that other file systems are mounted at; of nested ones the outermost.
 * @param table where the kernel lists them
 */
export async function findNestedMounts(root: string, table = "/proc/self/mountinfo"): Promise<readonly string[]> {
  const lines = (await readFile(table, "latin1")).split("\n");
  const prefix = pathToBytes(root === "/" ? "/" : `${root}/`).toString("latin1");
  const below = new Set<string>();
  for (const line of lines) {
    const mountPoint = unescapeOctal(line.split(" ")[4] ?? "");
    if (mountPoint.startsWith(prefix) && mountPoint.length > prefix.length) below.add(mountPoint.slice(prefix.length));
  }
  const sorted = [...below].toSorted();
  const outermost = sorted.filter((path) => !sorted.some((other) => path.startsWith(`${other}/`)));
  return outermost.map((path) => pathFromBytes(Buffer.from(path, "latin1")));
}

/** Whether a nested mount is hidden as a whole, so that it must not be put over what hides it. */
export function isMasked(mount: LayerMount, path: string): boolean {
  return mount.hidden?.mask.entries.some((entry) => path === entry.path || path.startsWith(`${entry.path}/`)) ?? false;
}

/** The first nested mount in which kept layers change or hide something, so that neither it nor the layers alone are right. */
export function findChangedMount(nested: readonly string[], mount: LayerMount): string | undefined {
  const layers = mount.hidden === undefined ? mount.lowers : [...mount.lowers, mount.hidden.mask];
  return nested.find((path) => layers.some((layer) => touches(layer, path)));
}

function touches(layer: Layer, path: string): boolean {
  return layer.entries.some((entry) => {
    if (entry.path === path || entry.path.startsWith(`${path}/`)) return true;
    if (!path.startsWith(`${entry.path}/`)) return false;
    return entry.op === "delete" || entry.type !== "directory" || entry.opaque === true;
  });
}

/** The kernel writes space, tab, newline and backslash in octal. */
function unescapeOctal(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_match, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
