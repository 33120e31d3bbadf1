/**
 * The protocol of landing and undo. What can fail is done before anything in the root changes: new content is written
 * and flushed beside its target, old content is saved, every step is noted durably. Then come the steps, each atomic by
 * itself, and one transaction that marks the whole as done. A process that dies before that transaction is rolled back
 * by the next one (`recover-landings.ts`), after it only leftovers are removed.
 */
import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";

import { CofferdamError } from "../../errors/cofferdam-error.ts";
import { landingFailed } from "../../errors/messages/workspace.ts";
import { StateError } from "../../errors/state-error.ts";
import type { Fingerprint } from "../fingerprint.ts";
import { inBatches } from "../in-batches.ts";
import { AnchoredRoot } from "./anchored-root.ts";
import { applySteps, conflictAt, forwards, isStill } from "./apply-steps.ts";
import { cleanUp } from "./clean-up.ts";
import type { LandingContext } from "./landing-context.ts";
import type { LandingStep, PlannedStep } from "./landing-step.ts";
import { isModeOnly, stagingDirectory } from "./landing-step.ts";
import type { NewLanding } from "./landing-store.ts";
import { rollBack } from "./roll-back.ts";
import { saveContent, stageContent } from "./staging.ts";
import { childPath } from "../../union/normalize-path.ts";

/** What to do to the root, and what to write down with it. */
export interface LandingPlan {
  readonly landing: NewLanding;
  /** In path order. */
  readonly steps: readonly PlannedStep[];
  /** Runs in the transaction that marks the landing as done. */
  readonly commit: () => void;
}

/**
 * Carries out a plan, all or nothing. The caller holds the lock and has checked the root.
 * @throws LandingConflictError when the root moved meanwhile.
 * @throws StateError when the system refused a step, or when somebody else changed what had been landed already. In all
 *   cases everything is as it was, but for what somebody else changed.
 */
export async function performLanding(context: LandingContext, plan: LandingPlan): Promise<void> {
  const { landings } = context;
  const { id } = plan.landing;
  await context.observe({ phase: "begin", path: "" });
  landings.begin(plan.landing);
  try {
    await using root = new AnchoredRoot(context.root);
    const steps = await stage(root, plan, context);
    await save(root, steps, { context, id });
    await context.observe({ phase: "intend", path: "" });
    // Not before everything is ready: as long as no step is noted, none can have been done.
    landings.intend(id, steps);
    await applySteps(
      root,
      steps.map((step) => forwards(step, stagedPath(id, step.ordinal))),
      { observe: context.observe },
    );
    await context.observe({ phase: "verify", path: "" });
    const afterwards = await verify(root, steps);
    await context.observe({ phase: "commit", path: "" });
    landings.durably(() => {
      landings.markLanded(id, afterwards);
      plan.commit();
    });
  } catch (error) {
    await rollBack(context, id, error);
    if (error instanceof CofferdamError) throw error;
    throw new StateError(landingFailed(plan.landing.kind), { cause: error });
  }
  await context.observe({ phase: "clean", path: "" });
  await cleanUp(context, { ...plan.landing, state: "landed" });
}

async function stage(root: AnchoredRoot, plan: LandingPlan, context: LandingContext): Promise<readonly LandingStep[]> {
  const { id } = plan.landing;
  await root.makeDirectory(stagingDirectory(id));
  const steps = await inBatches(plan.steps, async (step, ordinal): Promise<LandingStep> => {
    await context.observe({ phase: "stage", path: step.path });
    const after = await stageContent(root, step, stagedPath(id, ordinal));
    return { ordinal, path: step.path, before: step.before, after };
  });
  await root.syncDirectory(stagingDirectory(id));
  await root.syncDirectory("");
  return steps;
}

async function save(
  root: AnchoredRoot,
  steps: readonly LandingStep[],
  { context, id }: { readonly context: LandingContext; readonly id: string },
): Promise<void> {
  const directory = context.backupsOf(id);
  await mkdir(directory, { mode: 0o700 });
  await inBatches(steps, async (step) => {
    if ((step.before.type !== "file" && step.before.type !== "symlink") || isModeOnly(step)) return;
    await context.observe({ phase: "save", path: step.path });
    await saveContent(root, step.path, join(directory, String(step.ordinal)));
  });
  await using handle = await open(directory);
  await handle.sync();
}

/** Looks at every path anew, from the root down, and takes the fingerprints that undo will compare with. */
async function verify(root: AnchoredRoot, steps: readonly LandingStep[]): Promise<ReadonlyMap<number, Fingerprint>> {
  await root.forget();
  const afterwards = new Map<number, Fingerprint>();
  for (const { ordinal, path, after } of steps) {
    const stats = await root.inspect(path);
    if (stats === undefined ? after.type !== "absent" : !isStill(stats, after)) throw conflictAt(path);
    if (stats === undefined || after.type === "absent" || after.type === "other") continue;
    afterwards.set(ordinal, { ...after, ctimeNs: String(stats.ctimeNs) });
  }
  return afterwards;
}

function stagedPath(id: string, ordinal: number): string {
  return childPath(stagingDirectory(id), String(ordinal));
}
