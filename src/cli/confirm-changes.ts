import type { Engine } from "../contract/engine.ts";
import type { ReviewedSelection } from "../contract/landing.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { cannotConfirm } from "../errors/messages/cli.ts";
import type { CommandContext } from "./command-context.ts";
import { EXIT } from "./exit-code.ts";
import { reviewChanges } from "./review-changes.ts";
import { selectPaths } from "./select-changes.ts";

/** Flags of a command that asks before it acts. */
export interface ConfirmFlags {
  readonly root: string;
  readonly yes?: true;
}

/** What is to be done with which changes. */
export interface Confirmation {
  readonly paths: readonly string[];
  readonly flags: ConfirmFlags;
  readonly action: "land" | "discard";
  readonly label: { readonly label: string; readonly hint: string };
  readonly perform: (engine: Engine, selection: ReviewedSelection) => Promise<void>;
}

/**
 * Shows pending changes and acts on them once the person says so; `--yes` says so beforehand.
 * @throws ConfigurationError when nobody can be asked and `--yes` is missing.
 */
export async function confirmChanges(context: CommandContext, confirmation: Confirmation): Promise<void> {
  const { action, flags, paths, label, perform } = confirmation;
  if (flags.yes !== true && !context.isInteractive) throw new ConfigurationError(cannotConfirm(action));
  const selection = selectPaths(paths, action);
  await using engine = await context.openEngine({ root: flags.root });
  const revision = await engine.workspace.revision();
  // All of them: paths that select nothing are refused by what they were meant for.
  const changes = await engine.workspace.changes();
  if (changes.length === 0) {
    context.out.write(`Nothing to ${action}\n`);
    return;
  }
  if (flags.yes === true) {
    await perform(engine, { ...selection, revision });
    return;
  }
  const question = {
    message: action === "land" ? "Land these changes?" : "Discard these changes?",
    choices: [{ value: action, ...label }, KEEP],
  };
  const reviewed = await reviewChanges(context, { engine, selection, question });
  if (reviewed.answer === action) await perform(engine, reviewed.selection);
  else context.setExitCode(EXIT.failure);
}

const KEEP = { value: "keep", label: "Keep", hint: "leave them pending" } as const;
