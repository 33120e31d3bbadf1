import { randomUUID } from "node:crypto";
import type { Engine } from "../contract/engine.ts";
import type { DispatchEvent } from "../contract/event.ts";
import type { ToolCall } from "../contract/tool-call.ts";
import type { ToolResult } from "../contract/tool-result.ts";
import { chooseReviewer } from "./choose-reviewer.ts";
import type { CommandContext } from "./command-context.ts";
import { concludeCall, concludeCallAsJson } from "./conclude-call.ts";
import { EXIT } from "./exit-code.ts";
import { reportError } from "./report-error.ts";
import { notify } from "./terminal/notify.ts";
import type { DispatchFlags } from "./options/dispatch-options.ts";
import { engineOptionsOf } from "./options/dispatch-options.ts";
import { landingModeOf } from "./options/landing-mode.ts";

/** One call that a person typed. */
export interface TypedCall {
  readonly call: Omit<ToolCall, "id">;
  readonly flags: DispatchFlags;
  readonly onEvent?: (event: DispatchEvent) => void;
  /** Prints what the call answered; not called with `--json`. */
  readonly showResult: (ended: EndedCall) => void;
  readonly exitCodeOf: (ended: EndedCall) => number;
}

/** A call that the engine has settled. */
export interface EndedCall {
  readonly engine: Engine;
  readonly result: ToolResult;
  readonly interruptedBy: NodeJS.Signals | undefined;
}

/**
 * Dispatches a call that was typed, shows its result and what it changed, and sets the exit code. A signal ends the
 * call; we go on only when the engine has settled it.
 */
export async function dispatchTypedCall(context: CommandContext, typed: TypedCall): Promise<void> {
  const { flags } = typed;
  const landing = landingModeOf(flags, context.isInteractive);
  const call = { ...typed.call, id: randomUUID() };
  using interruption = context.watchInterruption();
  const reviewer = chooseReviewer(context, {
    callId: call.id,
    gate: flags.gate === true,
    queue: flags.queue === true,
    yes: flags.yes === true,
    onLeft: () => interruption.interrupt("SIGINT"),
  });
  await using engine = await context.openEngine(engineOptionsOf(flags, reviewer));
  for (const notice of engine.notices) notify(context.err, notice);
  const onEvent = flags.json === true ? undefined : typed.onEvent;
  const result = await engine.dispatch(call, {
    signal: interruption.signal,
    ...(onEvent === undefined ? {} : { onEvent }),
  });
  const ended = { engine, result, interruptedBy: interruption.cause() };
  context.setExitCode(typed.exitCodeOf(ended));
  const concluded = { engine, result, landing, signal: interruption.signal };
  try {
    if (flags.json === true) return await concludeCallAsJson(context, concluded);
    typed.showResult(ended);
    await concludeCall(context, concluded);
  } catch (error) {
    // The call is over and well; its own exit code, or 1 and 2, would say something else than what failed here.
    reportError(error, context.err, context.environment);
    context.setExitCode(EXIT.engineFailed);
  }
}
