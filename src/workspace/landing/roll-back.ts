import { rm } from "node:fs/promises";
import { join } from "node:path";

import { LandingConflictError } from "../../errors/landing-conflict-error.ts";
import { recoveryBlocked } from "../../errors/messages/workspace.ts";
import { StateError } from "../../errors/state-error.ts";
import { displayPath } from "../../union/path-bytes.ts";
import { isUnchanged } from "../fingerprint.ts";
import { joinPath } from "../path-relations.ts";
import { AnchoredRoot } from "./anchored-root.ts";
import { applySteps, backwards } from "./apply-steps.ts";
import { removeStaging } from "./clean-up.ts";
import type { LandingContext } from "./landing-context.ts";
import type { LandingStep } from "./landing-step.ts";
import { isModeOnly, needsRemoval, stagingDirectory } from "./landing-step.ts";
import { restoreContent } from "./staging.ts";

/**
 * Puts the root back to what it was before a landing that did not get to its end, and forgets the landing. Can be done
 * again when it was interrupted itself.
 * @throws StateError when a path is neither as it was nor as it was to become; nothing is touched then.
 */
export async function rollBack(context: LandingContext, id: string): Promise<void> {
  await using root = new AnchoredRoot(context.root);
  const steps: LandingStep[] = [];
  for (const step of context.landings.stepsOf(id)) {
    if (await needsRollBack(root, step)) steps.push(step);
  }
  await removeStaging(root, id);
  if (steps.length > 0) {
    await root.makeDirectory(stagingDirectory(id));
    for (const step of steps) await stageOld(root, step, { context, id });
    await putBack(root, steps, { context, id });
    await removeStaging(root, id);
  }
  await rm(context.backupsOf(id), { recursive: true, force: true });
  context.landings.remove(id);
}

async function needsRollBack(root: AnchoredRoot, step: LandingStep): Promise<boolean> {
  const { path, before, after } = step;
  const stats = await root.inspect(path);
  // A directory that is being made has its final mode only at the end.
  if (before.type === "directory" && stats?.isDirectory()) return Number(stats.mode & 0o7777n) !== before.mode;
  if (after.type === "directory" && stats?.isDirectory()) return true;
  if (await isUnchanged(root, path, before)) return false;
  if (await isUnchanged(root, path, after)) return true;
  const isBetween = after.type !== "absent" && needsRemoval(before.type, after.type);
  if (isBetween && stats === undefined) return true;
  throw new StateError(recoveryBlocked(displayPath(path)));
}

async function stageOld(
  root: AnchoredRoot,
  step: LandingStep,
  { context, id }: { readonly context: LandingContext; readonly id: string },
): Promise<void> {
  const { before, ordinal, path } = step;
  const stagedPath = joinPath(stagingDirectory(id), String(ordinal));
  if ((before.type !== "file" && before.type !== "symlink") || isModeOnly(step)) return;
  const hostPath = join(context.backupsOf(id), String(ordinal));
  await restoreContent(root, hostPath, { stagedPath, path, expected: before });
}

async function putBack(
  root: AnchoredRoot,
  steps: readonly LandingStep[],
  { context, id }: { readonly context: LandingContext; readonly id: string },
): Promise<void> {
  try {
    await applySteps(
      root,
      steps.map((step) => backwards(step, joinPath(stagingDirectory(id), String(step.ordinal)))),
      context.observe,
    );
  } catch (error) {
    if (!(error instanceof LandingConflictError)) throw error;
    const [conflict] = error.conflicts;
    throw new StateError(recoveryBlocked(displayPath(conflict?.path ?? "")), { cause: error });
  }
}
