import type { ToolCall } from "../contract/tool-call.ts";
import { cancelledWithBatch } from "../errors/messages/gate.ts";
import type { CallScope } from "./call-scope.ts";
import type { AnsweredCall, PreparedCall, RefusedCall } from "./call-state.ts";
import { prepare } from "./prepare.ts";
import type { PrepareOptions } from "./prepare.ts";
import { resolve } from "./resolve.ts";

/**
 * Steps 1 to 5 for every call of a batch, one after the other. Nothing of the batch has begun before all of it is decided, so
 * a reviewer or a hook that stops it at one call stops the calls before that one too; those behind it are not even looked at.
 */
export async function prepareBatch(
  calls: readonly ToolCall[],
  options: PrepareOptions,
  scope: CallScope,
): Promise<readonly PreparedCall[]> {
  const prepared: PreparedCall[] = [];
  for (const [index, call] of calls.entries()) {
    const next = await prepare(call, options, scope);
    prepared.push(next);
    if (next.state !== "refused" || next.denial?.stopsBatch !== true) continue;
    const notReached = calls.slice(index + 1).map((each) => resolve(each, options.registry));
    const by = next.denial.decidedBy === "hook" ? "hook" : "reviewer";
    return [...prepared, ...notReached].map((each) => withdraw(each, by));
  }
  return prepared;
}

/** A call that could have run does not; one that would not have run keeps its own answer. */
function withdraw(
  call: PreparedCall | ReturnType<typeof resolve>,
  by: "reviewer" | "hook",
): RefusedCall | AnsweredCall {
  if (call.state === "refused" || call.state === "answered") return call;
  const { registered } = call;
  const error = cancelledWithBatch(registered.tool.name, by);
  return { state: "refused", call: call.call, registered, errorKind: "cancelled", error };
}
