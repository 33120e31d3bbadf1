import type { ConcludedState } from "../../contract/approval.ts";

/** Sentences about approvals that wait for somebody in another process. */

/** A key file that nobody should trust. */
export function approvalKeyUnusable(file: string): string {
  return `Cannot use the key "${file}": it is not a regular file of 32 bytes that only you can read; remove it, and a new one is made`;
}

/** A row that its process did not write. */
export function questionForged(id: string): string {
  return `Cannot use the approval "${id}": it is not what its process asked; somebody else wrote to the state directory`;
}

/** An answer of somebody without the key. */
export function answerForged(id: string): string {
  return `Cannot take the answer to the approval "${id}": it is not signed with the key of the state directory`;
}

/** No question of that name. */
export function approvalUnknown(id: string): string {
  return `Cannot answer "${id}": there is no such approval; "cofferdam approvals list" shows those that wait`;
}

/** An answer that came too late. */
export function approvalOver(id: string, state: ConcludedState): string {
  return `Cannot answer "${id}": ${OVER[state]}`;
}

const OVER: Readonly<Record<ConcludedState, string>> = {
  approved: "it has been approved already",
  denied: "it has been denied already",
  expired: "it has expired, and the call was denied",
  withdrawn: "it has been taken back, because its call was cancelled or somebody else decided",
  gone: "the process that asked is gone, and the call never ran",
};

/** An approval by the id alone. */
export function approvalNotShown(id: string): string {
  return `Cannot approve "${id}": the name to approve it by is the one that "cofferdam approvals show ${id}" ends with, because that is about what was shown`;
}

/** An approval of what is longer than is ever shown. */
export function approvalTooLong(id: string): string {
  return `Cannot approve "${id}": it is too long to be shown whole, and what is not shown whole cannot be approved; deny it`;
}

/** Something to remember that the question does not offer. */
export function cannotRemember(id: string, remember: "session" | "always"): string {
  return `Cannot approve "${id}" with --remember "${remember}": it may not be remembered so; approve it without`;
}

/** An empty list. */
export const NOTHING_TO_APPROVE = "Nothing waits for an approval";

/** A question that has been put where others answer it. */
export function waitsInQueue(tool: string): string {
  return `"${tool}" waits for an answer; "cofferdam approvals list" shows it from another terminal`;
}

/** What stands under a question that waits. */
export const pendingSentences = {
  approve: (name: string) => `  Answer with: cofferdam approvals approve ${name} (or deny)`,
  deny: (id: string) => `  Answer with: cofferdam approvals deny ${id}`,
  long: (id: string) => `  It is long: "cofferdam approvals show ${id}" shows it whole`,
  gone: (id: string) => `  ${id} is gone: the process that asked has died, and the call never ran`,
  expires: (seconds: number) => `  It expires in ${seconds} s`,
} as const;
