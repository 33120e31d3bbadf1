import { ConfigurationError } from "../../errors/configuration-error.ts";
import { CANNOT_ASK_TO_LAND, CANNOT_ASK_WITH_JSON } from "../../errors/messages/cli.ts";
import type { DispatchFlags } from "./dispatch-options.ts";

/**
 * When the changes of a call are landed: as told, else `ask` where somebody can be asked and `never` elsewhere.
 * @throws ConfigurationError when `ask` was told and nobody can be asked; nothing has run yet.
 */
export function landingModeOf(
  flags: Pick<DispatchFlags, "land" | "json">,
  isInteractive: boolean,
): NonNullable<DispatchFlags["land"]> {
  const canAsk = isInteractive && flags.json !== true;
  if (flags.land === undefined) return canAsk ? "ask" : "never";
  if (flags.land === "ask" && flags.json === true) throw new ConfigurationError(CANNOT_ASK_WITH_JSON);
  if (flags.land === "ask" && !canAsk) throw new ConfigurationError(CANNOT_ASK_TO_LAND);
  return flags.land;
}
