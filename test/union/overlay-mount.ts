import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, mkdir, rm } from "node:fs/promises";

import type { Layer } from "../../src/contract/layer.ts";
import { pathFromBytes } from "../../src/union/path-bytes.ts";
import { treeLine, type TreeLines } from "./plain-tree.ts";

/** Why kernel mounts cannot be tested here; `undefined` when they can. */
export const noKernelMounts: string | undefined =
  process.platform !== "linux" || process.getuid?.() !== 0 || !existsSync("/proc/filesystems")
    ? "needs root on Linux"
    : undefined;

/** A stack to mount: layers oldest first; without an upper directory the mount is read-only. */
export interface OverlayStack {
  readonly root: string;
  readonly layers: readonly Pick<Layer, "upper">[];
  readonly upper?: string;
}

/** Runs a shell script in a fresh overlay mount of the stack, in the merged directory. */
export async function runInOverlay(stack: OverlayStack, script: string): Promise<Buffer> {
  const place = await mkdtemp(`${stack.upper ?? stack.root}-mount-`);
  try {
    await mkdir(`${place}/merged`);
    await mkdir(`${place}/work`);
    const lower = [...stack.layers.map(({ upper }) => upper).toReversed(), stack.root].join(":");
    const upper = stack.upper === undefined ? "" : `,upperdir=${stack.upper},workdir=${place}/work`;
    const options = `userxattr,redirect_dir=nofollow,metacopy=off,index=off,lowerdir=${lower}${upper}`;
    const mount = `mount -t overlay overlay -o "$2" "$1" && cd "$1" && ${script}`;
    const run = spawnSync("unshare", ["-m", "sh", "-ec", mount, "sh", `${place}/merged`, options], {
      maxBuffer: 64 * 1024 * 1024,
    });
    if (run.status !== 0) throw new Error(`The script in the overlay failed: ${run.stderr.toString()}`);
    return run.stdout;
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** What the kernel shows of a stack. */
export async function readKernelTree(stack: OverlayStack): Promise<TreeLines> {
  const printed = await runInOverlay(stack, PRINT_TREE);
  const lines: string[] = [];
  let position = 0;
  const field = (): Buffer => {
    const end = printed.indexOf(0, position);
    const value = printed.subarray(position, end);
    position = end + 1;
    return value;
  };
  while (position < printed.length) {
    const [path, type, mode, target, size] = [field(), field(), field(), field(), field()];
    const name = pathFromBytes(path);
    if (type.toString() === "d") lines.push(treeLine(name, "directory", mode.toString()));
    if (type.toString() === "l") lines.push(treeLine(name, "symlink", pathFromBytes(target)));
    if (type.toString() !== "f") continue;
    const end = position + Number(size.toString());
    lines.push(treeLine(name, "file", mode.toString(), printed.toString("latin1", position, end)));
    position = end;
  }
  return lines.sort();
}

/** Per entry five fields that end in NUL, then the content of a file. */
const PRINT_TREE = String.raw`find . -mindepth 1 -printf '%P\0%y\0%m\0%l\0%s\0' -type f -exec cat {} \;`;
