import type { DispatchRecord } from "../contract/record.ts";
import { ledgerMessages } from "../errors/messages/ledger.ts";
import type { LedgerBeginning } from "../journal/ledger.ts";
import type { ParentCall } from "./call-scope.ts";
import type { PermittedCall } from "./call-state.ts";
import type { DispatcherOptions } from "./dispatcher-options.ts";
import { answerKnown } from "./guard-replay.ts";
import { recordOf } from "./observe.ts";
import { settle, settleRefused, settleUnrun } from "./settle.ts";
import type { SettledCall } from "./settle.ts";

interface NotingOptions extends Pick<DispatcherOptions, "ledger" | "clock" | "hideHostPaths"> {
  /** Given when a tool made the call. */
  readonly parent: ParentCall | undefined;
}

/** A call that the ledger is to know of. */
type NotedCall = PermittedCall & { readonly noted: NonNullable<PermittedCall["noted"]> };

/**
 * Notes in the ledger that a call begins, and runs it. The note is closed when the final result is known, which is what the
 * same call will be answered another time. A call that cannot be noted is not run, nor is one that has begun elsewhere since
 * it was prepared.
 */
export async function runNoted(
  call: NotedCall,
  { ledger, clock, hideHostPaths, parent }: NotingOptions,
  run: () => Promise<SettledCall>,
): Promise<SettledCall> {
  let beginning: LedgerBeginning;
  try {
    beginning = ledger.begin(call.noted, recordOfInterruption(call, clock(), parent));
  } catch (error) {
    const attempted = { permitted: call, ending: { how: "threw", error }, attempts: 0 } as const;
    return await settle(attempted, { durationMs: 0, hideHostPaths });
  }
  if (beginning.state !== "begun") return settleUnrun(answerKnown(call, beginning));
  return { ...(await run()), entry: beginning.entry };
}

/** What the journal is to say should this process die before the call has ended. */
function recordOfInterruption(
  call: PermittedCall,
  startedAtMs: number,
  parent: ParentCall | undefined,
): DispatchRecord {
  const error = ledgerMessages.interrupted(call.registered.tool.name);
  const { result } = settleRefused({ ...call, state: "refused", errorKind: "internal", error });
  return recordOf(call, { result: { ...result, attempts: 1 }, startedAtMs, parent });
}
