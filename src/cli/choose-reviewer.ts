import type { ApprovalRequest, ReviewDecision, Reviewer } from "../contract/gate.ts";
import { waitsInQueue } from "../errors/messages/approvals.ts";
import { LEFT_THE_PROMPT, NOT_TYPED } from "../errors/messages/cli.ts";
import type { CommandContext } from "./command-context.ts";
import { notify } from "./terminal/notify.ts";
import { renderApproval } from "./terminal/render-approval.ts";
import { resetTerminal } from "./terminal/reset-terminal.ts";

/** Who answers an ask about a call that somebody typed. */
export interface ReviewerChoice {
  /** The call that was typed. */
  readonly callId: string;
  /** Treat the call as an agent's: asks go to the terminal. */
  readonly gate: boolean;
  /** The same, with another process to answer. */
  readonly queue: boolean;
  /** Answer asks with approve. */
  readonly yes: boolean;
  /** Called when the person leaves the prompt. */
  readonly onLeft: () => void;
}

/**
 * Whoever types a call approves it by typing it, so without `gate` that one call is approved. With `gate` the terminal is
 * asked; without a terminal there is no reviewer, and the engine denies. With `queue` whoever answers the queue is asked.
 */
export function chooseReviewer(context: CommandContext, choice: ReviewerChoice): Reviewer | undefined {
  if (choice.yes || !(choice.gate || choice.queue)) {
    return (request) =>
      request.callId === choice.callId ? { decision: "approve" } : { decision: "deny", reason: NOT_TYPED };
  }
  if (choice.queue) {
    return async (request) => {
      notify(context.err, waitsInQueue(request.tool));
      return await request.enqueue();
    };
  }
  if (!context.isInteractive) return undefined;
  return async (request) => {
    const decision = await askAtTerminal(context, request);
    if (decision !== undefined) return decision;
    if (!request.signal.aborted) choice.onLeft();
    return { decision: "deny", reason: LEFT_THE_PROMPT };
  };
}

async function askAtTerminal(context: CommandContext, request: ApprovalRequest): Promise<ReviewDecision | undefined> {
  const { err, prompts } = context;
  const { signal } = request;
  resetTerminal(err);
  const { text, isWhole } = renderApproval(request, err);
  err.write(text);
  const canRemember = request.reach?.always !== undefined;
  const answer = await prompts.choose({
    message: "Run it?",
    initial: "deny",
    choices: [
      ...(isWhole ? [APPROVE] : []),
      ...(isWhole && canRemember ? [ALWAYS] : []),
      { value: "deny", label: "Deny", hint: "and say why" },
      ...(isWhole ? [EDIT] : []),
    ],
    signal,
  });
  switch (answer) {
    case "approve":
      return { decision: "approve" };
    case "always":
      return { decision: "approve", remember: "always" };
    case "deny": {
      const reason = await prompts.askText({ message: "Why not? The model reads it; it may be empty", signal });
      return reason === undefined ? undefined : { decision: "deny", reason };
    }
    case "edit":
      return await askForEdit(context, request);
    case undefined:
      return undefined;
  }
}

const APPROVE = { value: "approve", label: "Approve", hint: "run it once, exactly as shown" } as const;
const ALWAYS = { value: "always", label: "Always", hint: "run it, and add the rule above to your policy" } as const;
const EDIT = { value: "edit", label: "Edit", hint: "change the input first" } as const;

async function askForEdit(context: CommandContext, request: ApprovalRequest): Promise<ReviewDecision | undefined> {
  const text = await context.prompts.askText({
    message: "The input to run with, as JSON",
    initial: toPrintableJson(request.input),
    validate: (edited) => problemOfJson(edited),
    signal: request.signal,
  });
  return text === undefined ? undefined : { decision: "edit", input: JSON.parse(text) };
}

/** JSON in which every character can be seen and edited. */
function toPrintableJson(input: unknown): string {
  return (JSON.stringify(input) ?? "null").replace(/[^\x20-\x7e]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function problemOfJson(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return "This is no JSON value";
  }
}
