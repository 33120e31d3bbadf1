import { cleanUp } from "./clean-up.ts";
import type { LandingContext } from "./landing-context.ts";
import { rollBack } from "./roll-back.ts";

/**
 * Ends what a process that died left half done: a landing that was not marked as done is rolled back, one that was is
 * cleaned up. The caller holds the lock, so nobody is at work on any of them.
 * @throws StateError when somebody else changed a path meanwhile that had been landed on. It is left as it is, all else
 *   is ended, and the next time there is nothing to recover, so that the news comes once and locks nobody out.
 */
export async function recoverLandings(context: LandingContext): Promise<void> {
  const failures: unknown[] = [];
  for (const landing of context.landings.unfinished()) {
    try {
      if (landing.state === "applying") await rollBack(context, landing.id);
      else await cleanUp(context, landing);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
