import type { PartExplanation, PolicyExplanation } from "../contract/policy-explanation.ts";
import type { ToolCall } from "../contract/tool-call.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { POLICY_UNUSABLE } from "../errors/messages/gate.ts";
import { noToolToJudge } from "../errors/messages/gate-commands.ts";
import type { AnalyseCommand } from "./command/analysis.ts";
import { partText } from "./command/analysis.ts";
import { createCommandAnalyser } from "./command/analyse-command.ts";
import { explain } from "./judge.ts";
import type { JudgedTool } from "./judge.ts";
import type { PartVerdict } from "./judge-command.ts";
import type { LivePolicy } from "./live-policy.ts";

/** What calls are explained with. */
export interface ExplainOptions {
  readonly policies: Pick<LivePolicy, "state" | "refresh">;
  readonly findTool: (name: string) => JudgedTool | undefined;
}

/**
 * Says what the policy says of calls, as it is now. A command line is looked into although no rule needs it. The input is
 * taken as it is.
 * @throws ConfigurationError (the promise) when there is no such tool.
 */
export function createExplainer({
  policies,
  findTool,
}: ExplainOptions): (call: ToolCall) => Promise<PolicyExplanation> {
  let analyser: Promise<AnalyseCommand> | undefined;
  return async ({ name, input }) => {
    const tool = findTool(name);
    if (tool === undefined) throw new ConfigurationError(noToolToJudge(name));
    await policies.refresh();
    const { state } = policies;
    if (state.status === "unusable") return { effect: "deny", reason: POLICY_UNUSABLE, parts: [] };
    analyser ??= createCommandAnalyser();
    const { verdict, describeParts } = explain({ ...state.policy, analyse: await analyser }, tool, input);
    return { ...verdict, parts: describeParts().map(toPlain) };
  };
}

function toPlain({ part, ...verdict }: PartVerdict): PartExplanation {
  return { part: partText(part), kind: part.kind, via: part.via, line: part.line, ...verdict };
}
