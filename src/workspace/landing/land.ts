import { randomBytes } from "node:crypto";

import type { ChangeSelection, Landing, LandingConflict } from "../../contract/landing.ts";
import { ConfigurationError } from "../../errors/configuration-error.ts";
import { LandingConflictError } from "../../errors/landing-conflict-error.ts";
import { landingConflict, nothingPending, onlyHeldBack } from "../../errors/messages/workspace.ts";
import { displayPath } from "../../union/path-bytes.ts";
import type { HiddenPaths } from "../../union/hidden-paths.ts";
import type { UnionView } from "../../union/union-view.ts";
import type { WhiteoutMaker } from "../../union/whiteouts.ts";
import { closeForLanding } from "../close-selection.ts";
import { detectRenames } from "../detect-renames.ts";
import type { Fingerprint } from "../fingerprint.ts";
import { partHeldBack } from "../held-back.ts";
import type { StoredLayer } from "../layer-store.ts";
import { ancestorsOf } from "../path-relations.ts";
import type { PendingChange } from "../pending.ts";
import { findPendingChanges, toChange } from "../pending.ts";
import { prepareRewrite } from "../rewrite-layers.ts";
import { selectPaths } from "../selection.ts";
import type { EntryOwner } from "./anchored-root.ts";
import { AnchoredRoot } from "./anchored-root.ts";
import { checkRoot } from "./check-root.ts";
import type { LandingContext } from "./landing-context.ts";
import type { PlannedStep, StepContent } from "./landing-step.ts";
import { chooseModeChange } from "./mode-change.ts";
import { performLanding } from "./perform-landing.ts";

/** The workspace as it is landed from. */
export interface LandingSource {
  readonly layers: readonly StoredLayer[];
  readonly view: UnionView;
  /** The root alone. */
  readonly rootView: UnionView;
  readonly whiteouts: WhiteoutMaker;
  readonly now: Date;
}

/** Applies selected pending changes to the root. The caller holds the lock and has recovered earlier landings. */
export async function land(
  context: LandingContext,
  source: LandingSource,
  selection: ChangeSelection | undefined,
): Promise<Landing> {
  const views = { before: source.rootView, after: source.view };
  const pending = await findPendingChanges(source.layers, views);
  const { landable, heldBack } = chooseChanges(pending, { selection, hidden: context.hidden });
  const steps = await planSteps(context, source, landable);
  const renames = await detectRenames(landable, views);
  const landed = new Set(landable);
  const rewrite = await prepareRewrite(
    pending.filter((change) => !landed.has(change)),
    { ...source, store: context.layers },
  );
  const id = randomBytes(4).toString("hex");
  const changes = landable.map((change) => toChange(change, renames.get(change.path)));
  const landing = { id, kind: "land", undoes: undefined, landedAt: source.now, changes } as const;
  await performLanding(context, { landing, steps, commit: () => rewrite.apply() });
  return { id, landedAt: source.now, changes, heldBack: heldBack.map((change) => toChange(change)) };
}

function chooseChanges(
  pending: readonly PendingChange[],
  { selection, hidden }: { readonly selection: ChangeSelection | undefined; readonly hidden: HiddenPaths },
): ReturnType<typeof partHeldBack> {
  if (pending.length === 0) throw new ConfigurationError(nothingPending());
  const selected = partHeldBack(selectPaths(pending, selection, "land"), hidden);
  if (selected.landable.length === 0) {
    throw new ConfigurationError(onlyHeldBack(selected.heldBack.map((change) => displayPath(change.path))));
  }
  // What has to land together may bring in the removal of a directory that holds repository metadata.
  const closed = partHeldBack(closeForLanding(selected.landable, pending), hidden);
  const heldBack = new Set([...selected.heldBack, ...closed.heldBack]);
  return { landable: closed.landable, heldBack: pending.filter((change) => heldBack.has(change)) };
}

async function planSteps(
  context: LandingContext,
  source: LandingSource,
  changes: readonly PendingChange[],
): Promise<readonly PlannedStep[]> {
  await using root = new AnchoredRoot(context.root);
  const { present, conflicts } = await checkRoot(
    root,
    changes.map((change) => ({
      path: change.path,
      expected: context.layers.stampOf(change.path),
      becomes: change.after?.stat.type ?? "absent",
    })),
  );
  if (conflicts.length > 0) throw refuse(conflicts);
  const steps: PlannedStep[] = [];
  for (const change of changes) {
    const before = present.get(change.path) ?? { type: "absent" };
    const owner = await chooseOwner(root, change.path, before);
    steps.push({
      path: change.path,
      before,
      owner,
      content: await chooseContent(change, { root, before, owner, source }),
    });
  }
  return steps;
}

function refuse(conflicts: readonly LandingConflict[]): LandingConflictError {
  const shown = conflicts.map((conflict) => ({ ...conflict, path: displayPath(conflict.path) }));
  return new LandingConflictError(landingConflict(shown), { conflicts });
}

async function chooseContent(
  change: PendingChange,
  options: {
    readonly root: AnchoredRoot;
    readonly before: Fingerprint;
    readonly owner: EntryOwner | undefined;
    readonly source: LandingSource;
  },
): Promise<StepContent> {
  const { after } = change;
  const { before, owner } = options;
  if (after === undefined) return { kind: "none", after: { type: "absent" } };
  const { mode, type } = after.stat;
  if (type === "symlink") return { kind: "symlink", target: await options.source.view.readLink(change.path) };
  if (type === "file") {
    if (change.kind === "mode-changed" && before.type === "file") {
      return chooseModeChange(options.root, change.path, { before, mode });
    }
    return { kind: "copy", hostPath: after.hostPath, mode };
  }
  if (before.type === "directory") {
    // The workspace shows permission bits only; that a directory hands its group on is not the layer's to take away.
    return { kind: "none", after: { ...before, mode: mode | (before.mode & 0o7000) } };
  }
  const { uid, gid } = owner ?? { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  return { kind: "none", after: { type: "directory", mode, uid, gid, ctimeNs: "0" } };
}

/** A replaced file keeps its owner, a new entry gets that of the directory that holds it. Only root can give files away. */
async function chooseOwner(root: AnchoredRoot, path: string, before: Fingerprint): Promise<EntryOwner | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  if (before.type !== "absent" && before.type !== "other") return before;
  for (const above of [...ancestorsOf(path).toReversed(), ""]) {
    const stats = await root.inspect(above);
    if (stats?.isDirectory()) return { uid: Number(stats.uid), gid: Number(stats.gid) };
  }
  return undefined;
}
