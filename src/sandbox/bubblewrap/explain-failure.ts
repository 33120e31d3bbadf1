import { readFileSync } from "node:fs";

import { bubblewrapMessages } from "../../errors/messages/bubblewrap.ts";
import type { Obstacle } from "./machine-facts.ts";

/*
 * Why a trial sandbox could not be made, from what the programs on the way said. Their words are recognised only to choose
 * the advice; what none of them fits is shown as it is.
 */

/** Explains what `unshare`, `mount` or bubblewrap said. */
export function explainFailure(said: string, readSetting = readKernelSetting): Obstacle {
  const isRefused = /not permitted|permission denied|no permissions/i.test(said);
  if (isRefused && /uid.map|unshare|namespace/i.test(said)) {
    return readSetting("kernel/apparmor_restrict_unprivileged_userns") === "1"
      ? { reason: bubblewrapMessages.apparmor, remedy: bubblewrapMessages.apparmorRemedy }
      : { reason: bubblewrapMessages.noUserNamespaces, remedy: bubblewrapMessages.noUserNamespacesRemedy };
  }
  if (/no space left|user_namespaces/i.test(said) && /unshare|namespace/i.test(said)) {
    return { reason: bubblewrapMessages.noUserNamespaces, remedy: bubblewrapMessages.noUserNamespacesRemedy };
  }
  if (/overlay/.test(said)) return { reason: bubblewrapMessages.noOverlay, remedy: bubblewrapMessages.noOverlayRemedy };
  if (/proc/.test(said) && isRefused)
    return { reason: bubblewrapMessages.noProc, remedy: bubblewrapMessages.noProcRemedy };
  const [line = ""] = said.split("\n");
  return { reason: bubblewrapMessages.trialFailed(line), remedy: bubblewrapMessages.trialRemedy };
}

/** A kernel setting below `/proc/sys`; empty where there is none. */
function readKernelSetting(name: string): string {
  try {
    return readFileSync(`/proc/sys/${name}`, "latin1").trim();
  } catch {
    return "";
  }
}
