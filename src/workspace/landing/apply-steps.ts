/**
 * Brings paths of the root from one state to another, for landing, undo and rollback alike. Removals go from the inside
 * out and never take what they do not know (`rmdir`, not a recursive remove); new things go from the outside in; modes
 * come last, because a directory may be closed to writing. Every step looks at what is there just before it acts, so a
 * path that is where it should be already is passed over: that is what makes a rollback of half a landing, or of half a
 * rollback, the same operation.
 *
 * A file replaces a file by `rename`, so that a reader sees the old or the new one. Where nothing should be, `link` puts
 * it, which fails when something is there after all.
 */
import type { BigIntStats } from "node:fs";

import { LandingConflictError } from "../../errors/landing-conflict-error.ts";
import { conflictReasons, landingConflict } from "../../errors/messages/workspace.ts";
import { displayPath } from "../../union/path-bytes.ts";
import { isErrno } from "../../union/host-entry.ts";
import { parentPath } from "../../union/normalize-path.ts";
import type { Fingerprint } from "../fingerprint.ts";
import { createBelowTest } from "../path-relations.ts";
import type { AnchoredRoot } from "./anchored-root.ts";
import type { LandingObserver, LandingStep } from "./landing-step.ts";
import { isModeOnly, needsRemoval } from "./landing-step.ts";

const OWNER_BITS = 0o700;

/** One path to bring from `from` to `to`. */
export interface PathStep {
  readonly path: string;
  readonly from: Fingerprint;
  readonly to: Fingerprint;
  /** Where the new file or symlink waits; not needed for a directory, a removal or a mode. */
  readonly staged?: string;
}

/** A landing's step in the direction of the landing. */
export function forwards(step: LandingStep, staged: string): PathStep {
  return { path: step.path, from: step.before, to: step.after, staged };
}

/** A landing's step in the opposite direction. */
export function backwards(step: LandingStep, staged: string): PathStep {
  return { path: step.path, from: step.after, to: step.before, staged };
}

/** Who takes part in applying. */
export interface ApplyHooks {
  readonly observe: LandingObserver;
  /** Told of a step that cannot be done; the others are done all the same. Without it, the first failure is thrown. */
  readonly onFailure?: (step: PathStep, error: unknown) => void;
}

/**
 * Does all steps, which are in path order, and makes them durable.
 * @throws LandingConflictError when something else is in the way; some steps may have been done then.
 */
export async function applySteps(root: AnchoredRoot, steps: readonly PathStep[], hooks: ApplyHooks): Promise<void> {
  const { observe } = hooks;
  for (const step of steps) await attempt(step, hooks, async () => openUp(root, step));
  for (const step of steps.toReversed()) {
    if (!needsRemoval(step.from.type, step.to.type)) continue;
    await observe({ phase: "remove", path: step.path });
    await attempt(step, hooks, async () => remove(root, step));
  }
  for (const step of steps) {
    if (step.to.type === "absent" || isOnlyMode(step)) continue;
    await observe({ phase: "place", path: step.path });
    await attempt(step, hooks, async () => place(root, step));
  }
  for (const step of steps.toReversed()) {
    if (step.to.type !== "directory" && !(step.to.type === "file" && isOnlyMode(step))) continue;
    await observe({ phase: "mode", path: step.path });
    await attempt(step, hooks, async () => setMode(root, step));
  }
  await syncDirectories(root, steps, hooks);
}

/** Lets the owner of a closed directory change what is in it; its final mode comes at the end. */
async function openUp(root: AnchoredRoot, { path, from }: PathStep): Promise<void> {
  if (from.type !== "directory" || (from.mode & OWNER_BITS) === OWNER_BITS) return;
  if ((await root.inspect(path))?.isDirectory()) await root.setMode(path, from.mode | OWNER_BITS);
}

async function remove(root: AnchoredRoot, step: PathStep): Promise<void> {
  const stats = await root.inspect(step.path);
  if (stats === undefined || typeOf(stats) === step.to.type) return;
  if (!isStill(stats, step.from)) throw conflictAt(step.path);
  if (stats.isDirectory()) await root.removeDirectory(step.path);
  else await root.unlink(step.path);
}

async function place(root: AnchoredRoot, step: PathStep): Promise<void> {
  const stats = await root.inspect(step.path);
  if (step.to.type === "directory") {
    if (stats?.isDirectory()) return;
    await root.makeDirectory(step.path);
    if (process.getuid?.() === 0) await root.setOwner(step.path, step.to);
    return;
  }
  if (step.staged === undefined) return;
  if (stats === undefined) {
    await root.link(step.staged, step.path);
    await root.unlink(step.staged);
  } else if (isStill(stats, step.from)) {
    await root.rename(step.staged, step.path);
  } else {
    throw conflictAt(step.path);
  }
}

async function setMode(root: AnchoredRoot, step: PathStep): Promise<void> {
  if (step.to.type !== "directory" && step.to.type !== "file") return;
  const stats = await root.inspect(step.path);
  if (step.to.type === "directory") {
    if (!stats?.isDirectory()) throw conflictAt(step.path);
    return root.setMode(step.path, step.to.mode);
  }
  // A second name that it has got meanwhile would get the mode as well.
  if (stats === undefined || !isStill(stats, step.from) || stats.nlink > 1n) throw conflictAt(step.path);
  await root.setMode(step.path, step.to.mode);
  await using handle = await root.openFile(step.path);
  await handle.sync();
}

/** Every directory whose names changed, and every new one. */
async function syncDirectories(root: AnchoredRoot, steps: readonly PathStep[], hooks: ApplyHooks): Promise<void> {
  const gone = new Set(steps.filter((step) => step.to.type !== "directory").map((step) => step.path));
  const isBelowGone = createBelowTest(gone);
  const touched = new Set<string>();
  for (const step of steps) {
    touched.add(parentPath(step.path));
    if (step.to.type === "directory") touched.add(step.path);
  }
  for (const path of touched) {
    if (gone.has(path) || isBelowGone(path)) continue;
    try {
      await root.syncDirectory(path);
    } catch (error) {
      // Where steps may fail, a directory that is gone has had its failure told, and nothing was changed in it.
      if (hooks.onFailure === undefined || !isErrno(error, "ENOENT", "ENOTDIR", "ELOOP")) throw error;
    }
  }
}

/** Does one part of a step. */
async function attempt(step: PathStep, { onFailure }: ApplyHooks, work: () => Promise<void>): Promise<void> {
  try {
    await refuseWhatIsInTheWay(step, work);
  } catch (error) {
    if (onFailure === undefined) throw error;
    onFailure(step, error);
  }
}

/** What the system says when a path is not as it was looked at a moment before. */
async function refuseWhatIsInTheWay(step: PathStep, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isErrno(error, "EEXIST", "ENOTEMPTY", "ENOTDIR", "EISDIR", "ELOOP", "ENOENT")) throw error;
    throw conflictAt(step.path, error);
  }
}

/** A path that was checked, and is another one now. */
export function conflictAt(path: string, cause?: unknown): LandingConflictError {
  const reason = conflictReasons.changedMeanwhile;
  const message = landingConflict([{ path: displayPath(path), reason }]);
  return new LandingConflictError(message, { conflicts: [{ path, kind: "moved", reason }], cause });
}

function isOnlyMode(step: PathStep): boolean {
  return isModeOnly({ before: step.from, after: step.to });
}

/** Cheap, and enough for the moment between the check of the whole content and the act. */
export function isStill(stats: BigIntStats, expected: Fingerprint): boolean {
  if (typeOf(stats) !== expected.type) return false;
  if (expected.type !== "file") return true;
  return (
    String(stats.ino) === expected.inode &&
    Number(stats.size) === expected.sizeBytes &&
    String(stats.mtimeNs) === expected.mtimeNs
  );
}

function typeOf(stats: BigIntStats): Fingerprint["type"] {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "directory";
  return stats.isSymbolicLink() ? "symlink" : "other";
}
