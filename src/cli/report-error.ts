import { ConfigurationError } from "../errors/configuration-error.ts";
import { CofferdamError } from "../errors/cofferdam-error.ts";
import { LandingConflictError } from "../errors/landing-conflict-error.ts";
import { conflictLine, unexpectedFailure } from "../errors/messages/cli.ts";
import { ToolDefinitionError } from "../errors/tool-definition-error.ts";
import { WorkspacePathError } from "../errors/workspace-path-error.ts";
import { EXIT } from "./exit-code.ts";
import { escapeText } from "./terminal/escape-text.ts";
import { notify } from "./terminal/notify.ts";
import type { OutputStream } from "./terminal/output-stream.ts";

/** Says what went wrong in one sentence and answers with the exit code. The stack is for `COFFERDAM_DEBUG=1` only. */
export function reportError(error: unknown, err: OutputStream, environment: NodeJS.ProcessEnv): number {
  notify(err, sentenceOf(error));
  if (error instanceof LandingConflictError) reportConflicts(error, err);
  if (environment["COFFERDAM_DEBUG"] === "1" && error instanceof Error) {
    err.write(`${escapeText(error.stack ?? "", { keep: "lines" })}\n`);
  }
  return exitCodeOf(error);
}

function sentenceOf(error: unknown): string {
  if (error instanceof CofferdamError) return error.message;
  return unexpectedFailure(error instanceof Error ? error.message : String(error));
}

/** The sentence names the first conflicts; where there are several, a line each says all of them. */
function reportConflicts(error: LandingConflictError, err: OutputStream): void {
  if (error.conflicts.length < 2) return;
  for (const { path, reason } of error.conflicts) err.write(`  ${escapeText(conflictLine(path, reason))}\n`);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof LandingConflictError) return EXIT.failure;
  const misuse = [ConfigurationError, ToolDefinitionError, WorkspacePathError].some((kind) => error instanceof kind);
  return misuse ? EXIT.usage : EXIT.engineFailed;
}
