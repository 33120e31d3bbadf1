import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import type { Layer } from "../../src/contract/layer.ts";
import type { TreeLines } from "./plain-tree.ts";

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

/** Runs a shell script in a fresh overlay mount of the stack, with the merged directory as `$1` and its cwd. */
export async function runInOverlay(stack: OverlayStack, script: string, ...more: readonly string[]): Promise<string> {
  const place = await mkdtemp(`${stack.upper ?? stack.root}-mount-`);
  try {
    await mkdir(`${place}/merged`);
    await mkdir(`${place}/work`);
    const lower = [...stack.layers.map(({ upper }) => upper).toReversed(), stack.root].join(":");
    const upper = stack.upper === undefined ? "" : `,upperdir=${stack.upper},workdir=${place}/work`;
    const options = `userxattr,redirect_dir=nofollow,metacopy=off,index=off,lowerdir=${lower}${upper}`;
    const mount = `mount -t overlay overlay -o "$2" "$1" && cd "$1" && shift 2 && ${script}`;
    const run = spawnSync("unshare", ["-m", "sh", "-ec", mount, "sh", `${place}/merged`, options, ...more], {
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    });
    if (run.status !== 0) throw new Error(`The script in the overlay failed: ${run.stderr}`);
    return run.stdout;
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** What the kernel shows of a stack. */
export async function readKernelTree(stack: OverlayStack): Promise<TreeLines> {
  const printed = await runInOverlay(stack, '"$1" "$2" "$PWD"', process.execPath, PRINT_TREE);
  // It is what print-tree.ts writes.
  return JSON.parse(printed) as TreeLines;
}

const PRINT_TREE = fileURLToPath(new URL("print-tree.ts", import.meta.url));
