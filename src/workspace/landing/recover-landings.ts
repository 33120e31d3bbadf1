import { cleanUp } from "./clean-up.ts";
import type { LandingContext } from "./landing-context.ts";
import { rollBack } from "./roll-back.ts";

/**
 * Ends what a process that died left half done: a landing that was not marked as done is rolled back, one that was is
 * cleaned up. The caller holds the lock, so nobody is at work on any of them.
 * @throws StateError when a path of the root stands against it, naming the path.
 */
export async function recoverLandings(context: LandingContext): Promise<void> {
  for (const landing of context.landings.unfinished()) {
    if (landing.state === "applying") await rollBack(context, landing.id);
    else await cleanUp(context, landing);
  }
}
