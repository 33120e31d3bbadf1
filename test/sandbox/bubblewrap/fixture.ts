import { readdirSync, readFileSync } from "node:fs";

import { beforeAll, describe } from "vitest";

import type { Execution, RunOptions, SandboxBackend, SandboxRequest } from "../../../src/contract/sandbox.ts";
import { createBubblewrapBackend } from "../../../src/sandbox/bubblewrap/bubblewrap-backend.ts";

const capabilities = await createBubblewrapBackend().probe();
/** Why there can be no test with a real sandbox here; `undefined` when there can. */
const missing = capabilities.available ? undefined : `${capabilities.reason}; ${capabilities.remedy}`;

/** A suite that needs bubblewrap: skipped with the reason where it does not work, and failed there in CI. */
export function describeWithBubblewrap(title: string, suite: () => void): void {
  const isSkipped = missing !== undefined && process.env["CI"] !== "true";
  describe.skipIf(isSkipped)(`${title}${isSkipped ? ` (skipped: ${missing})` : ""}`, () => {
    beforeAll(() => {
      if (missing !== undefined) throw new Error(`Cannot test ${title}: ${missing}`);
    });
    suite();
  });
}

/** Runs one script in a session of its own. */
export async function runOnce(
  script: string,
  options: Partial<RunOptions> & { readonly request?: SandboxRequest; readonly backend?: SandboxBackend } = {},
): Promise<Execution> {
  const { request = {}, backend = createBubblewrapBackend(), ...run } = options;
  await using session = await backend.open(request);
  return await session.run({ kind: "shell", script }, { timeoutMs: 30_000, ...run });
}

/** The numbers of this machine's processes whose command line holds `marker`. */
export function findProcesses(marker: string): readonly string[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && commandLineOf(name).includes(marker));
}

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    // It has gone since it was listed.
    return "";
  }
}
