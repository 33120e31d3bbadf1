import type { PendingApproval } from "../../contract/approval.ts";
import { pendingSentences } from "../../errors/messages/approvals.ts";
import type { OutputStream } from "./output-stream.ts";
import { renderApproval } from "./render-approval.ts";

/** Where and when it is shown. */
export interface ShownAt {
  readonly stream: Pick<OutputStream, "hasColour">;
  readonly now: Date;
}

/** What an approval is approved by: its id and the first digits of the digest of what was shown. */
export function approvalName({ id, digest }: Pick<PendingApproval, "id" | "digest">): string {
  return `${id}-${digest.slice(0, NAME_DIGITS)}`;
}

/** How many digits of the digest are in a name, and have to be given. */
export const NAME_DIGITS = 8;

/** One that waits, and what it is approved by when it was shown whole. */
export function renderPending(approval: PendingApproval, { stream, now }: ShownAt): string {
  const { text, isWhole } = renderApproval(approval.question, stream);
  const seconds = Math.max(0, Math.ceil((approval.expiresAt.getTime() - now.getTime()) / 1000));
  if (approval.state === "gone") return `${text}${pendingSentences.gone(approval.id)}\n`;
  const how = isWhole ? pendingSentences.approve(approvalName(approval)) : pendingSentences.deny(approval.id);
  return `${text}${how}\n${pendingSentences.expires(seconds)}\n`;
}

/** All that wait. A long one is named instead of shown, and is then approved from where it is shown whole. */
export function renderPendingList(approvals: readonly PendingApproval[], shownAt: ShownAt): string {
  return approvals
    .map((approval) => {
      const whole = renderPending(approval, shownAt);
      if (whole.split("\n").length <= MOST_LINES) return whole;
      const [title = ""] = whole.split("\n");
      return `${title}\n${pendingSentences.long(approval.id)}\n`;
    })
    .join("\n");
}

const MOST_LINES = 60;
