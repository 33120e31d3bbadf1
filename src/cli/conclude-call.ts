import type { Engine } from "../contract/engine.ts";
import type { Landing } from "../contract/landing.ts";
import type { ToolResult } from "../contract/tool-result.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import type { CommandContext } from "./command-context.ts";
import { landChanges, renderNextSteps } from "./land-changes.ts";
import type { DispatchFlags } from "./options/dispatch-options.ts";
import { reviewChanges } from "./review-changes.ts";
import { selectChanges } from "./select-changes.ts";
import { notify } from "./terminal/notify.ts";
import { countChanges, renderChanges } from "./terminal/render-changes.ts";
import { resetTerminal } from "./terminal/reset-terminal.ts";
import { writeJson } from "./terminal/write-json.ts";

/** A call that is over. */
export interface ConcludedCall {
  readonly engine: Engine;
  readonly result: ToolResult;
  readonly landing: NonNullable<DispatchFlags["land"]>;
  /** Ends a prompt that is open. */
  readonly signal: AbortSignal;
}

/** Shows what a call changed and lands it, asks about it, or says how to go on. Only this call's paths are touched. */
export async function concludeCall(context: CommandContext, call: ConcludedCall): Promise<void> {
  const { engine, result, landing, signal } = call;
  if (result.changes.length === 0) return;
  const { err } = context;
  resetTerminal(err);
  if (landing === "ask" && !signal.aborted) return await askAboutChanges(context, call);
  err.write(`cofferdam: ${countChanges(result.changes)}:\n${renderChanges(result.changes, err)}`);
  if (landing !== "auto" || !result.success) {
    err.write(renderNextSteps(engine, err));
    return;
  }
  const selection = await selectChanges(engine, result.changes);
  await unlessHeldBack(context, result, async () => await landChanges(engine, selection, err));
}

/** The same for `--json`: one object, the result with the landing in it when there was one. */
export async function concludeCallAsJson(context: CommandContext, call: ConcludedCall): Promise<void> {
  const { engine, result, landing } = call;
  let landed: Landing | undefined;
  try {
    const lands = landing === "auto" && result.success && result.changes.length > 0;
    if (lands) {
      const selection = await selectChanges(engine, result.changes);
      landed = await unlessHeldBack(context, result, async () => await engine.land(selection));
    }
  } finally {
    // Printed when landing fails, too: the call itself is over, and its result must not be lost.
    writeJson(context.out, landed === undefined ? result : { ...result, landing: landed });
  }
}

/**
 * Lands, unless none of the changes may ever land, which is no failure. The selection names what is pending at its own
 * revision, so nothing else can be wrong with it; every other failure is of another class.
 */
async function unlessHeldBack(
  { err }: CommandContext,
  { changes }: ToolResult,
  land: () => Promise<Landing>,
): Promise<Landing | undefined> {
  try {
    return await land();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    notify(err, `Held back ${countChanges(changes)}: ${error.message}`);
    return undefined;
  }
}

async function askAboutChanges(context: CommandContext, { engine, result, signal }: ConcludedCall): Promise<void> {
  const { answer, selection } = await reviewChanges(context, {
    engine,
    selection: await selectChanges(engine, result.changes),
    signal,
    question: {
      message: "What should become of these changes?",
      choices: [
        { value: "land", label: "Land", hint: "apply them to the root" },
        { value: "keep", label: "Keep", hint: "leave them pending" },
        { value: "discard", label: "Discard", hint: "drop them" },
      ],
    },
  });
  if (answer === "land") {
    await landChanges(engine, selection, context.err);
    return;
  }
  if (answer === "discard" && (await isDiscardMeant(context, signal))) {
    context.err.write(`Discarded ${countChanges(await engine.discard(selection))}\n`);
    return;
  }
  context.err.write(renderNextSteps(engine, context.err));
}

/** What is dropped is gone, and "Discard" stands beside "Keep". */
async function isDiscardMeant({ prompts }: CommandContext, signal: AbortSignal): Promise<boolean> {
  const answer = await prompts.choose({
    message: "Drop them for good?",
    initial: "keep",
    choices: [
      { value: "keep", label: "Keep", hint: "leave them pending" },
      { value: "discard", label: "Discard", hint: "nothing brings them back" },
    ],
    signal,
  });
  return answer === "discard";
}
