import type { Command } from "commander";
import type { ApprovalReview, PendingApproval } from "../../contract/approval.ts";
import type { ReviewDecision } from "../../contract/gate.ts";
import {
  approvalNotShown,
  approvalOver,
  approvalTooLong,
  approvalUnknown,
  cannotRemember,
  NOTHING_TO_APPROVE,
} from "../../errors/messages/approvals.ts";
import type { CommandContext } from "../command-context.ts";
import { EXIT } from "../exit-code.ts";
import { newCommand, withRoot } from "../new-command.ts";
import { choiceOption } from "../options/choice-option.ts";
import { notify } from "../terminal/notify.ts";
import { renderApproval } from "../terminal/render-approval.ts";
import { approvalName, NAME_DIGITS, renderPending, renderPendingList } from "../terminal/render-pending.ts";
import { writeJson } from "../terminal/write-json.ts";

/*
 * An approval is named by its id and the first digits of the digest of what was shown, and that name stands only under a
 * question that was shown whole. So nobody approves by an id that they were told what they have not seen.
 */

interface RootFlag {
  readonly root: string;
}

type ListFlags = RootFlag & { readonly json?: true };
type ApproveFlags = RootFlag & { readonly remember?: "session" | "always" };
type DenyFlags = RootFlag & { readonly reason?: string; readonly stop?: true };

/** `cofferdam approvals`: answers what calls of other processes wait for. */
export function approvalsCommand(context: CommandContext): Command {
  const approvals = newCommand(context, "approvals", {
    summary: "answer calls of other processes that wait for an approval",
    description:
      "Lists and answers the calls that wait for an approval: those of processes whose reviewer puts its questions in the queue, as run --queue does.",
    example: "cofferdam approvals list",
  });
  for (const add of [listCommand, showCommand, approveCommand, denyCommand]) approvals.addCommand(add(context));
  return approvals;
}

function listCommand(context: CommandContext): Command {
  const command = newCommand(context, "list", {
    summary: "show the calls that wait, the oldest first",
    description:
      "Shows the calls that wait, the oldest first, each whole where that is short. Those whose process has died are marked; they never ran.",
    example: "cofferdam approvals list --json",
  });
  return withRoot(command)
    .option("--json", "print one JSON array")
    .action(async ({ root, json }: ListFlags) => {
      await using engine = await context.openEngine({ root });
      const pending = engine.approvals.pending();
      if (json === true) writeJson(context.out, pending);
      else if (pending.length === 0) context.out.write(`${NOTHING_TO_APPROVE}\n`);
      else context.out.write(renderPendingList(pending, { stream: context.out, now: new Date() }));
    });
}

function showCommand(context: CommandContext): Command {
  const command = newCommand(context, "show", {
    summary: "show one call that waits, whole",
    description: "Shows one call that waits, whole, and the name to approve it by.",
    example: "cofferdam approvals show 3f2a91c0d1",
  });
  return withRoot(command)
    .argument("<id>", "its id")
    .option("--json", "print one JSON object")
    .action(async (id: string, { root, json }: ListFlags) => {
      await using engine = await context.openEngine({ root });
      const approval = find(engine.approvals, id);
      if (approval === undefined) refuse(context, outcomeWithout(engine.approvals, id));
      else if (json === true) writeJson(context.out, approval);
      else context.out.write(renderPending(approval, { stream: context.out, now: new Date() }));
    });
}

function approveCommand(context: CommandContext): Command {
  const command = newCommand(context, "approve", {
    summary: "let a call run that waits",
    description:
      "Lets a call run that waits. Its name is the one that list or show ends with, so that it is about what was shown.",
    example: "cofferdam approvals approve 3f2a91c0d1-5be1a2c3",
  });
  return withRoot(command)
    .argument("<name>", "its id, a dash and the digits of what was shown")
    .addOption(
      choiceOption("--remember <how long>", "let others like it run too: session or always", ["session", "always"]),
    )
    .action(async (name: string, { root, remember }: ApproveFlags) => {
      await using engine = await context.openEngine({ root });
      const [id = "", digits = ""] = name.split("-");
      const approval = find(engine.approvals, id);
      if (approval === undefined) refuse(context, outcomeWithout(engine.approvals, id));
      else if (digits.length < NAME_DIGITS || !approval.digest.startsWith(digits))
        refuse(context, approvalNotShown(id));
      else if (remember !== undefined && approval.question.reach?.[remember] === undefined)
        refuse(context, cannotRemember(id, remember));
      else if (!renderApproval(approval.question, context.out).isWhole) refuse(context, approvalTooLong(id));
      else answer(context, engine.approvals, { approval, decision: approve(remember) });
    });
}

function approve(remember: ApproveFlags["remember"]): ReviewDecision {
  return { decision: "approve", ...(remember === undefined ? {} : { remember }) };
}

function denyCommand(context: CommandContext): Command {
  const command = newCommand(context, "deny", {
    summary: "let a call not run that waits",
    description: "Denies a call that waits. The model reads the reason.",
    example: 'cofferdam approvals deny 3f2a91c0d1 --reason "not on this branch"',
  });
  return withRoot(command)
    .argument("<id>", "its id, or the name to approve it by")
    .option("--reason <text>", "what the model is told")
    .option("--stop", "cancel every other call of its batch too")
    .action(async (name: string, { root, reason, stop }: DenyFlags) => {
      await using engine = await context.openEngine({ root });
      const [id = ""] = name.split("-");
      const approval = find(engine.approvals, id);
      const decision = stop === true ? "stop" : "deny";
      if (approval === undefined) refuse(context, outcomeWithout(engine.approvals, id));
      else
        answer(context, engine.approvals, {
          approval,
          decision: { decision, ...(reason === undefined ? {} : { reason }) },
        });
    });
}

function find(approvals: ApprovalReview, id: string): PendingApproval | undefined {
  return approvals.pending().find((each) => each.id === id);
}

/** Why there is nothing of that id to answer. */
function outcomeWithout(approvals: ApprovalReview, id: string): string {
  const found = approvals.answer({ id, digest: "" }, { decision: "deny" });
  return found.outcome === "too-late" ? approvalOver(id, found.state) : approvalUnknown(id);
}

interface Given {
  readonly approval: PendingApproval;
  readonly decision: ReviewDecision;
}

function answer(context: CommandContext, approvals: ApprovalReview, { approval, decision }: Given): void {
  const { id } = approval;
  const found = approvals.answer(approval, decision);
  switch (found.outcome) {
    case "taken":
      context.out.write(`${decision.decision === "approve" ? "Approved" : "Denied"} ${approvalName(approval)}\n`);
      return;
    case "too-late":
      refuse(context, approvalOver(id, found.state));
      return;
    case "unknown":
    case "other-digest":
      refuse(context, approvalUnknown(id));
  }
}

function refuse({ err, setExitCode }: CommandContext, message: string): void {
  notify(err, message);
  setExitCode(EXIT.failure);
}
