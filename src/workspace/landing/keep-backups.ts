import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";

import { lstatIfPresent } from "../../union/host-entry.ts";
import type { AnchoredRoot } from "./anchored-root.ts";
import type { LandingStep } from "./landing-step.ts";
import { copyOf } from "./staging.ts";

/**
 * Removes what a landing saved, except the former content of steps that could not be taken back.
 * @returns where the content of a step is kept, by its ordinal
 */
export async function keepBackups(
  root: AnchoredRoot,
  left: readonly LandingStep[],
  directory: string,
): Promise<ReadonlyMap<number, string>> {
  const kept = new Map<number, string>();
  for (const { ordinal, path } of left) {
    const saved = join(directory, String(ordinal));
    const [copied, linked, present] = await Promise.all([
      lstatIfPresent(copyOf(saved)),
      lstatIfPresent(saved),
      root.inspect(path),
    ]);
    if (copied !== undefined) kept.set(ordinal, copyOf(saved));
    // The second name of what is still there holds what is there now, and nothing of before.
    else if (linked !== undefined && BigInt(linked.ino) !== present?.ino) kept.set(ordinal, saved);
  }
  if (kept.size === 0) {
    await rm(directory, { recursive: true, force: true });
    return kept;
  }
  const names = new Set(kept.values());
  for (const name of await readdir(directory)) if (!names.has(join(directory, name))) await rm(join(directory, name));
  return kept;
}
