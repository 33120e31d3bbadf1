import { ledgerMessages } from "../errors/messages/ledger.ts";
import { ledgerKeyOf } from "../journal/ledger.ts";
import type { LedgerCall, LedgerFinding } from "../journal/ledger.ts";
import type { AnsweredCall, PermittedCall, RefusedCall, ValidatedCall } from "./call-state.ts";

/**
 * What the ledger knows a call by. Read tools stay out of it: they change nothing, so that running one twice does no harm,
 * and noting them would cost more than most of them do.
 */
export function ledgerCallOf(
  { call, registered, input }: ValidatedCall,
  conversation: string | undefined,
): LedgerCall | undefined {
  if (registered.tool.risk === "read") return undefined;
  return { key: ledgerKeyOf({ ...call, input }, conversation), isUnique: conversation !== undefined };
}

/** The answer to a call of which something is known. It is not run, whatever the tool: what was approved was one run. */
export function answerKnown(
  { call, registered, input }: ValidatedCall | PermittedCall,
  finding: Exclude<LedgerFinding, { readonly state: "new" }>,
): RefusedCall | AnsweredCall {
  const { name } = registered.tool;
  switch (finding.state) {
    case "interrupted":
      return { state: "refused", call, registered, errorKind: "internal", error: ledgerMessages.interrupted(name) };
    case "running":
      return { state: "refused", call, registered, errorKind: "conflict", error: ledgerMessages.running(name) };
    case "settled": {
      const { result } = finding;
      const error = ledgerMessages.resultNotKept(name);
      if (result === undefined) return { state: "refused", call, registered, errorKind: "conflict", error };
      return { state: "answered", call, registered, input, result };
    }
  }
}
