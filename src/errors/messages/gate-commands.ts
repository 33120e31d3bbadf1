/** Sentences about the parts of command lines. */

/** A command line that nobody could review. */
export function commandTooLarge(reason: string): string {
  return `the command line is too large to be judged: ${reason}`;
}

/** A rule decided about a part. */
export function decidedByRuleForPart(
  rule: { readonly effect: string; readonly text: string; readonly source: string; readonly justification?: string },
  part: string,
): string {
  const because = rule.justification === undefined ? "" : `: ${rule.justification}`;
  return `the rule "${rule.effect} ${rule.text}" of ${rule.source} says so for "${part}"${because}`;
}

/** Nothing speaks of a part, and what speaks of the call does not allow it. */
export function noRuleAllows(part: string, reason: string): string {
  return `no rule allows "${part}" and ${reason}`;
}

/** Why parts are allowed that no rule speaks of. */
export const partAllowances = {
  wrapper: "it does nothing but run what follows, which is judged itself",
  assignment: "the variable changes nothing that runs",
  redirection: "it opens a file that the command may open",
  inWorkspace: "a target that is written out and lies in the workspace",
} as const;

/** What would have a command allowed. */
export function ruleNeeded(program: string): string {
  return `a rule such as "allow shell(${program}:*)"`;
}

/** A rule covers the words of a command, and not all that it does. */
export function exceedsRule(rule: { readonly text: string; readonly source: string }, what: string): string {
  return `"allow ${rule.text}" of ${rule.source} does not cover it, for ${what}`;
}

/** What would have a variable allowed. */
export function assignmentNeeded(name: string): string {
  return `a command that does not set ${name}, which may change what runs`;
}

/** What would have something allowed that cannot be told from its text. */
export function opaqueNeeded(reason: string): string {
  return `plain words in its place, for ${reason}`;
}

/** A call of a tool that the engine does not have. */
export function noToolToJudge(name: string): string {
  return `Cannot judge the call: there is no tool "${name}"; "cofferdam tools" lists them`;
}
