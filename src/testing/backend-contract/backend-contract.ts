import type { SandboxBackend } from "../../contract/sandbox.ts";
import { unmetNeed, type BackendCheck, type BackendUnderTest } from "./backend-check.ts";
import { exitChecks } from "./exit-checks.ts";
import { findProcesses } from "./find-processes.ts";
import { javascriptChecks } from "./javascript-checks.ts";
import { limitChecks } from "./limit-checks.ts";
import { sessionChecks } from "./session-checks.ts";
import { stopChecks } from "./stop-checks.ts";
import { streamChecks } from "./stream-checks.ts";
import { surroundingsChecks } from "./surroundings-checks.ts";
import { survivorChecks } from "./survivor-checks.ts";
import { workspaceChecks } from "./workspace-checks.ts";

/*
 * The contract of sandbox backends as something that can be run. It knows no test framework: a check is a name and a
 * function that throws, and whoever has a backend of their own turns each into a test of whatever kind they use.
 */

/** Everything that a sandbox backend promises. */
export const backendContract: readonly BackendCheck[] = [
  ...sessionChecks,
  ...exitChecks,
  ...streamChecks,
  ...stopChecks,
  ...survivorChecks,
  ...limitChecks,
  ...surroundingsChecks,
  ...workspaceChecks,
  ...javascriptChecks,
];

/** The contract, as far as it goes for one backend. */
export interface BackendExamination {
  readonly target: BackendUnderTest;
  /** The checks that it has to pass. */
  readonly applicable: readonly BackendCheck[];
  /** The checks of what it does not claim, with what that is. */
  readonly excluded: readonly { readonly check: BackendCheck; readonly reason: string }[];
}

/**
 * Probes a backend, and says which checks it has to pass. `findProcesses` is for backends whose processes are not those
 * of this machine.
 * @throws Error when the backend is not available.
 */
export async function examineBackend(
  backend: SandboxBackend,
  options: Partial<Pick<BackendUnderTest, "findProcesses">> = {},
): Promise<BackendExamination> {
  const capabilities = await backend.probe();
  if (!capabilities.available) throw new Error(`Cannot examine "${backend.name}": ${capabilities.reason}`);
  const judged = backendContract.map((check) => ({
    check,
    reason: check.needs.map((need) => unmetNeed(need, capabilities)).find((reason) => reason !== undefined),
  }));
  return {
    target: { backend, capabilities, findProcesses, ...options },
    applicable: judged.filter(({ reason }) => reason === undefined).map(({ check }) => check),
    excluded: judged.flatMap(({ check, reason }) => (reason === undefined ? [] : [{ check, reason }])),
  };
}
