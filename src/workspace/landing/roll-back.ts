/**
 * Puts the root back to what it was before a landing that did not get to its end. Somebody else may have worked in the
 * root meanwhile, so each path is judged by itself: what is as before, or was never reached, needs nothing; what is as
 * the landing made it goes back; anything else is somebody else's, is left as it is and told, and what it held before is
 * kept. One such path never keeps the others from going back, and never locks the workspace.
 *
 * Which steps were reached shows in the staging directory, from where each new file or symlink moves to its place in one
 * atomic step. Therefore it stays as it is until the end of a rollback, however often that is interrupted.
 */
import type { BigIntStats } from "node:fs";
import { join } from "node:path";

import { LandingConflictError } from "../../errors/landing-conflict-error.ts";
import { rollBackFailed, rollBackIncomplete } from "../../errors/messages/workspace.ts";
import { StateError } from "../../errors/state-error.ts";
import { displayPath } from "../../union/path-bytes.ts";
import { childPath } from "../../union/normalize-path.ts";
import type { Fingerprint } from "../fingerprint.ts";
import { isUnchanged } from "../fingerprint.ts";
import { AnchoredRoot } from "./anchored-root.ts";
import { applySteps, backwards } from "./apply-steps.ts";
import { removeStaging } from "./clean-up.ts";
import { keepBackups } from "./keep-backups.ts";
import type { LandingContext } from "./landing-context.ts";
import type { LandingStep } from "./landing-step.ts";
import { isModeOnly, needsRemoval, stagingDirectory } from "./landing-step.ts";
import { restoreContent } from "./staging.ts";

/**
 * Puts the root back to what it was before a landing, and forgets the landing. Can be done again when it was interrupted
 * itself.
 * @param cause what stopped the landing
 * @throws StateError when paths were left because somebody else changed them after they had been landed; all others are
 *   back then, and the landing is forgotten.
 * @throws StateError when the system refused a step; the landing is not forgotten then.
 */
export async function rollBack(context: LandingContext, id: string, cause?: unknown): Promise<void> {
  await using root = new AnchoredRoot(context.root);
  const left: LandingStep[] = [];
  const returning: LandingStep[] = [];
  for (const step of context.landings.stepsOf(id)) {
    const standing = await judge(root, step, id);
    if (standing === "new") returning.push(step);
    if (standing === "foreign") left.push(step);
  }
  if (returning.length > 0) left.push(...(await putBack(root, returning, { context, id })));
  await removeStaging(root, id);
  const saved = await keepBackups(root, left, context.backupsOf(id));
  context.landings.remove(id);
  if (left.length === 0) return;
  const told = left
    .toSorted((one, other) => one.ordinal - other.ordinal)
    .map(({ ordinal, path }) => ({ path: displayPath(path), saved: saved.get(ordinal) }));
  throw new StateError(rollBackIncomplete(told), { cause });
}

/** Whose work is at a path: as before the landing, as the landing made it, or neither. */
async function judge(root: AnchoredRoot, step: LandingStep, id: string): Promise<"old" | "new" | "foreign"> {
  const { path, before, after } = step;
  const stats = await root.inspect(path);
  // A directory that is being made has its final mode only at the end.
  if (before.type === "directory" && stats?.isDirectory()) {
    return hasMode(stats, before) ? "old" : "new";
  }
  if (after.type === "directory" && stats?.isDirectory()) return "new";
  if (before.type === "file" && isModeOnly(step) && stats?.isFile() && !hasMode(stats, after)) return "old";
  const isRemoved = needsRemoval(before.type, after.type);
  const staged = await root.inspect(childPath(stagingDirectory(id), String(step.ordinal)));
  // Whatever is there, it is not the landing's: that still waits.
  if (!isRemoved && staged !== undefined && staged.ino !== stats?.ino) return "old";
  if (await isUnchanged(root, path, before)) return "old";
  if (await isUnchanged(root, path, after)) return "new";
  return isRemoved && after.type !== "absent" && stats === undefined ? "new" : "foreign";
}

function hasMode(stats: BigIntStats, expected: Fingerprint): boolean {
  return "mode" in expected && Number(stats.mode & 0o7777n) === expected.mode;
}

/** Puts back what can be, and gives the steps that were left because something else is in the way. */
async function putBack(
  root: AnchoredRoot,
  steps: readonly LandingStep[],
  { context, id }: { readonly context: LandingContext; readonly id: string },
): Promise<readonly LandingStep[]> {
  const byPath = new Map(steps.map((step) => [step.path, step]));
  const left = new Set<LandingStep>();
  const refused: { readonly path: string; readonly error: unknown }[] = [];
  const note = (path: string, error: unknown): void => {
    const step = byPath.get(path);
    // What is saved can be damaged for good, which must not lock the workspace either.
    const isFinal = error instanceof LandingConflictError || error instanceof StateError;
    if (isFinal && step !== undefined) left.add(step);
    else refused.push({ path, error });
  };
  if ((await root.inspect(stagingDirectory(id))) === undefined) await root.makeDirectory(stagingDirectory(id));
  for (const step of steps) {
    try {
      await stageOld(root, step, { context, id });
    } catch (error) {
      note(step.path, error);
    }
  }
  const ready = steps.filter((step) => !left.has(step)).map((step) => backwards(step, oldPath(id, step.ordinal)));
  await applySteps(root, ready, { observe: context.observe, onFailure: (step, error) => note(step.path, error) });
  const [first] = refused;
  if (first !== undefined) throw new StateError(rollBackFailed(displayPath(first.path)), { cause: first.error });
  return [...left];
}

async function stageOld(
  root: AnchoredRoot,
  step: LandingStep,
  { context, id }: { readonly context: LandingContext; readonly id: string },
): Promise<void> {
  const { before, ordinal, path } = step;
  if ((before.type !== "file" && before.type !== "symlink") || isModeOnly(step)) return;
  const stagedPath = oldPath(id, ordinal);
  // A rollback that was interrupted has put it there.
  if ((await root.inspect(stagedPath)) !== undefined) await root.unlink(stagedPath);
  const hostPath = join(context.backupsOf(id), String(ordinal));
  await restoreContent(root, hostPath, { stagedPath, path, expected: before });
}

function oldPath(id: string, ordinal: number): string {
  return childPath(stagingDirectory(id), `${ordinal}.old`);
}
