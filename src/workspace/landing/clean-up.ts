import { rm } from "node:fs/promises";

import { isErrno } from "../../union/host-entry.ts";
import { childPath } from "../../union/normalize-path.ts";
import { sweepLayers } from "../sweep-layers.ts";
import { AnchoredRoot } from "./anchored-root.ts";
import type { LandingContext } from "./landing-context.ts";
import { stagingDirectory } from "./landing-step.ts";
import type { StoredLanding } from "./landing-store.ts";

/** New content that waits, or old content that is about to come back. */
const STAGED_NAME = /^\d+(?:\.old)?$/;

/** Removes what a landing or undo leaves over. Can be done again, and is, when a process died before its end. */
export async function cleanUp(
  context: LandingContext,
  landing: Pick<StoredLanding, "id" | "kind" | "state" | "undoes">,
): Promise<void> {
  const { id, kind, state, undoes } = landing;
  await using root = new AnchoredRoot(context.root);
  await removeStaging(root, id);
  await sweepLayers(context.layers, context.layersDirectory);
  // Nothing is taken back from an undo, and from a landing only once.
  if (kind === "undo" || state === "undone") await rm(context.backupsOf(id), { recursive: true, force: true });
  if (kind === "land") return context.landings.markCleaned(id);
  if (undoes !== undefined) {
    await rm(context.backupsOf(undoes), { recursive: true, force: true });
    context.landings.markCleaned(undoes);
  }
  context.landings.remove(id);
}

/** Removes the staging directory with what landing put there: files and symlinks that are named by a number. */
export async function removeStaging(root: AnchoredRoot, landingId: string): Promise<void> {
  const staging = stagingDirectory(landingId);
  await root.forget();
  if (!(await root.inspect(staging))?.isDirectory()) return;
  for (const name of await root.list(staging)) {
    if (STAGED_NAME.test(name)) await root.unlink(childPath(staging, name));
  }
  try {
    await root.removeDirectory(staging);
  } catch (error) {
    // Somebody put something of their own there; it is theirs to remove.
    if (!isErrno(error, "ENOTEMPTY")) throw error;
  }
}
