import { randomBytes } from "node:crypto";
import { join } from "node:path";

import type { Landing, LandingConflict } from "../../contract/landing.ts";
import type { ManifestEntry } from "../../contract/layer.ts";
import { ConfigurationError } from "../../errors/configuration-error.ts";
import { LandingConflictError } from "../../errors/landing-conflict-error.ts";
import {
  conflictReasons,
  landingAlreadyUndone,
  landingUnknown,
  nothingToUndo,
  undoConflict,
} from "../../errors/messages/workspace.ts";
import { displayPath } from "../../union/path-bytes.ts";
import type { Fingerprint } from "../fingerprint.ts";
import { inBatches } from "../in-batches.ts";
import { findOverlaps } from "../overlap.ts";
import { AnchoredRoot } from "./anchored-root.ts";
import { checkRoot } from "./check-root.ts";
import type { LandingContext } from "./landing-context.ts";
import type { LandingStep, PlannedStep, StepContent } from "./landing-step.ts";
import { isModeOnly } from "./landing-step.ts";
import type { StoredLanding } from "./landing-store.ts";
import { chooseModeChange } from "./mode-change.ts";
import { performLanding } from "./perform-landing.ts";

/**
 * Takes a landing back, by the same protocol. Newer work is never discarded: what has changed since in the root, and
 * what pending layers hold at these paths, stands against it. The caller holds the lock and has recovered.
 */
export async function undo(
  context: LandingContext,
  options: { readonly landingId: string | undefined; readonly now: Date },
): Promise<Landing> {
  const landing = chooseLanding(context.landings.landings(), options.landingId);
  const steps = context.landings.stepsOf(landing.id);
  const planned = await planSteps(context, landing.id, steps);
  const id = randomBytes(4).toString("hex");
  try {
    await performLanding(context, {
      landing: { id, kind: "undo", undoes: landing.id, landedAt: options.now, changes: landing.changes },
      steps: planned,
      commit: () => context.landings.markUndone(landing.id),
    });
  } catch (error) {
    if (error instanceof LandingConflictError) throw refuse(error.conflicts, error);
    throw error;
  }
  return { id: landing.id, landedAt: landing.landedAt, changes: landing.changes, heldBack: [] };
}

function chooseLanding(landings: readonly StoredLanding[], id: string | undefined): StoredLanding {
  if (id === undefined) {
    const last = landings.findLast((landing) => landing.state === "landed");
    if (last === undefined) throw new ConfigurationError(nothingToUndo());
    return last;
  }
  const landing = landings.find((candidate) => candidate.id === id);
  if (landing === undefined) throw new ConfigurationError(landingUnknown(id));
  if (landing.state === "undone") throw new ConfigurationError(landingAlreadyUndone(id));
  return landing;
}

async function planSteps(
  context: LandingContext,
  landingId: string,
  steps: readonly LandingStep[],
): Promise<readonly PlannedStep[]> {
  await using root = new AnchoredRoot(context.root);
  const { present, conflicts } = await checkRoot(
    root,
    steps.map((step) => ({ path: step.path, expected: step.after, becomes: step.before.type })),
  );
  const pending = context.layers.keptLayers().flatMap((layer) => layer.entries);
  const all = [...conflicts.map(sayLanding), ...findPendingConflicts(steps, pending)];
  if (all.length > 0) throw refuse(all);
  return inBatches(steps, async (step) => {
    const now = present.get(step.path) ?? step.after;
    const backup = join(context.backupsOf(landingId), String(step.ordinal));
    return {
      path: step.path,
      before: now,
      content: await chooseContent(root, step, { now, backup }),
      owner: undefined,
    };
  });
}

async function chooseContent(
  root: AnchoredRoot,
  step: LandingStep,
  { now, backup }: { readonly now: Fingerprint; readonly backup: string },
): Promise<StepContent> {
  const { before } = step;
  if (isModeOnly(step)) {
    if (before.type !== "file" || now.type !== "file") return { kind: "none", after: before };
    return chooseModeChange(root, step.path, { before: now, mode: before.mode });
  }
  if (before.type === "file" || before.type === "symlink")
    return { kind: "restore", hostPath: backup, expected: before };
  return { kind: "none", after: before };
}

function findPendingConflicts(
  steps: readonly LandingStep[],
  pending: readonly ManifestEntry[],
): readonly LandingConflict[] {
  const paths = findOverlaps(steps.map(toEntry), pending);
  return paths.map((path) => ({ path, kind: "pending", reason: conflictReasons.pendingAbove }));
}

/** What going back does to a path, said as a layer would say it. */
function toEntry({ path, before }: LandingStep): ManifestEntry {
  if (before.type === "absent" || before.type === "other") return { op: "delete", path };
  return { op: "put", path, type: before.type };
}

/** Here the paths were not touched by a pending layer but by the landing. */
function sayLanding(conflict: LandingConflict): LandingConflict {
  const { appeared, disappeared, changed, changedSinceLanding } = conflictReasons;
  const isSince = [appeared, disappeared, changed].some((reason) => reason === conflict.reason);
  return isSince ? { ...conflict, reason: changedSinceLanding } : conflict;
}

function refuse(conflicts: readonly LandingConflict[], cause?: unknown): LandingConflictError {
  const shown = conflicts.map((conflict) => ({ ...conflict, path: displayPath(conflict.path) }));
  return new LandingConflictError(undoConflict(shown), { conflicts, cause });
}
