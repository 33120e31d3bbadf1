import type { Change } from "../contract/change.ts";
import type { ChangeSelection } from "../contract/landing.ts";
import { closeForDiscard } from "./close-selection.ts";
import type { LandingContext } from "./landing/landing-context.ts";
import type { LandingSource } from "./landing/land.ts";
import { findPendingChanges, toChange } from "./pending.ts";
import { prepareRewrite } from "./rewrite-layers.ts";
import { selectPaths } from "./selection.ts";
import { sweepLayers } from "./sweep-layers.ts";

/** Takes selected changes out of every layer, and says which they were. The caller holds the lock. */
export async function discard(
  context: LandingContext,
  source: LandingSource,
  selection: ChangeSelection | undefined,
): Promise<readonly Change[]> {
  const pending = await findPendingChanges(source.layers, { before: source.rootView, after: source.view });
  const discarded = closeForDiscard(selectPaths(pending, selection, "discard"), pending);
  const gone = new Set(discarded);
  const rewrite = await prepareRewrite(
    pending.filter((change) => !gone.has(change)),
    { ...source, store: context.layers },
  );
  context.landings.durably(() => rewrite.apply());
  await sweepLayers(context.layers, context.layersDirectory);
  return discarded.map((change) => toChange(change));
}
