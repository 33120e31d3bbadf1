import type { PermittedCall, RefusedCall } from "./call-state.ts";

/** A call whose fate at the gate is known. */
export type PreparedCall = PermittedCall | RefusedCall;

/**
 * Cuts a batch into stages that run one after the other: neighbours that may overlap share one, any other call has its
 * own. A read that the model placed behind a write therefore sees what the write did.
 */
export function stagesOf(calls: readonly PreparedCall[]): readonly (readonly PreparedCall[])[] {
  const stages: PreparedCall[][] = [];
  let open: PreparedCall[] | undefined;
  for (const call of calls) {
    if (!mayOverlap(call)) {
      stages.push([call]);
      open = undefined;
    } else if (open === undefined) {
      open = [call];
      stages.push(open);
    } else {
      open.push(call);
    }
  }
  return stages;
}

function mayOverlap(call: PreparedCall): boolean {
  return call.state === "refused" || call.registered.tool.parallel;
}
