import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { LayerMount } from "../../contract/layer.ts";
import type { SandboxRequest, SandboxSession } from "../../contract/sandbox.ts";
import { bubblewrapMessages } from "../../errors/messages/bubblewrap.ts";
import { explainFailure } from "./explain-failure.ts";
import type { Obstacle } from "./machine-facts.ts";

/*
 * Whether a sandbox can be made here cannot be read off any setting: distributions, containers and security modules each
 * forbid parts of it in ways of their own. So one is made, with a layer where layers are kept and the very root below it,
 * and a command in it looks whether the walls stand.
 */

const TRIAL_TIMEOUT_MS = 20_000;

/** One line per wall that does not stand; then proof that layers are seen and written. */
const TRIAL_SCRIPT = `
[ -e /etc/shadow ] && echo "accounts of the host"
[ -w /proc/sys/kernel/core_pattern ] && (echo x >/proc/sys/kernel/core_pattern) 2>/dev/null && echo "kernel settings"
[ "$(ls /sys/class/net 2>/dev/null)" ] && echo "devices of the host"
while read -r name value; do case $name$value in CapEff:0000000000000000|CapBnd:0000000000000000) ;; Cap[EB]*) echo "$name";;
  Seccomp:2|NoNewPrivs:1) ;; Seccomp:*|NoNewPrivs:*) echo "$name" ;; esac; done </proc/self/status
while read -r name _; do case $name in lo:|Inter-*|face) ;; *) echo "network $name" ;; esac; done </proc/net/dev
cat .cofferdam-trial && echo written >.cofferdam-trial`;

/** Makes a sandbox on an empty layer of `mount` and looks around in it; gives what stands in the way. */
export async function tryTrial(
  mount: LayerMount,
  open: (request: SandboxRequest) => Promise<SandboxSession>,
): Promise<Obstacle | undefined> {
  const lower = `${mount.upper}-below`;
  await mkdir(lower);
  await writeFile(join(lower, TRIAL_FILE), "seen\n", { mode: 0o666 });
  try {
    await using session = await open({ mount: { ...mount, lowers: [{ id: 0, upper: lower, entries: [] }] } });
    const execution = await session.run({ kind: "shell", script: TRIAL_SCRIPT }, { timeoutMs: TRIAL_TIMEOUT_MS });
    const written = await readFile(join(mount.upper, TRIAL_FILE), "utf8").catch(() => "");
    if (execution.stdout === "seen\n" && written === "written\n") return undefined;
    return { reason: bubblewrapMessages.trialWrong, remedy: bubblewrapMessages.trialRemedy };
  } catch (error) {
    const { cause } = error instanceof Error ? error : {};
    if (cause instanceof Error) return explainFailure(cause.message);
    throw error;
  }
}

const TRIAL_FILE = ".cofferdam-trial";
