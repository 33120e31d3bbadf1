import type { ApprovalReach, Verdict } from "../contract/gate.ts";
import { reachSentences } from "../errors/messages/gate.ts";
import { commandRuleOf } from "./command-rule.ts";
import type { GateRequest } from "./gate-request.ts";

/*
 * What may be remembered of an approval. A rule on the name of a tool that runs what it is given (a command, code) would
 * allow every program for having approved one, so of such a tool only the very same call is remembered, and only for the
 * session; a plain command of the shell may become a rule for exactly its words. Where an ask rule decided, an allow rule would change
 * nothing, for ask beats allow: the person has to change their rule.
 */

/** What an approval of this call may be remembered for. */
export async function reachOf(request: GateRequest, verdict: Verdict): Promise<ApprovalReach> {
  const { tool, input } = request;
  const { name, risk, contained = true } = tool;
  const canBeRule = verdict.rule === undefined;
  if (reachesOneCall(request)) {
    const rule = canBeRule ? await commandRuleOf(tool, input) : undefined;
    const always = rule === undefined ? {} : { always: { rule, description: reachSentences.sameCommand } };
    return { session: reachSentences.sameCall(name), ...always };
  }
  const session = reachSentences.tool(name, risk === "exec" && !contained);
  return { session, ...(canBeRule && RULE_NAME.test(name) ? { always: { rule: name, description: session } } : {}) };
}

/** Whether an approval is remembered for this very call only, instead of for its tool. */
export function reachesOneCall({ tool, input }: GateRequest): boolean {
  return tool.risk === "exec" && Object.keys(Object(input)).some((key) => PROGRAM_KEY.test(key));
}

/** Names of arguments that hold what is run. A tool that hides its program elsewhere is the owner's to put under an ask rule. */
const PROGRAM_KEY =
  /command|cmd|code|script|program|argv|args|shell|source|expression|statement|query|sql|file|path|url/i;

/** What a selector takes as one tool's name; a glob would select others. */
const RULE_NAME = /^[\w.-]+$/;
