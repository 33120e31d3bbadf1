import { CommanderError } from "commander";
import type { Command } from "commander";
import type { CommandContext } from "./command-context.ts";
import { approvalsCommand } from "./commands/approvals.ts";
import { callCommand } from "./commands/call.ts";
import { cleanupCommand } from "./commands/cleanup.ts";
import { diffCommand } from "./commands/diff.ts";
import { discardCommand } from "./commands/discard.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { imagesCommand } from "./commands/images.ts";
import { landCommand } from "./commands/land.ts";
import { logCommand } from "./commands/log.ts";
import { policyCommand } from "./commands/policy.ts";
import { runCommand } from "./commands/run.ts";
import { statusCommand } from "./commands/status.ts";
import { toolsCommand } from "./commands/tools.ts";
import { undoCommand } from "./commands/undo.ts";
import { EXIT } from "./exit-code.ts";
import { newCommand } from "./new-command.ts";
import { reportError } from "./report-error.ts";

/**
 * Reads a command line and runs the command in it. Whatever goes wrong is said in one sentence on stderr.
 * @returns the exit code
 */
export async function runProgram(
  words: readonly string[],
  version: string,
  surroundings: Omit<CommandContext, "setExitCode">,
): Promise<number> {
  let exitCode: number = EXIT.success;
  const context: CommandContext = {
    ...surroundings,
    setExitCode: (code) => {
      exitCode = code;
    },
  };
  try {
    await createProgram(context, version).parseAsync(words, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.success : EXIT.usage;
    return reportError(error, context.err, context.environment);
  }
}

function createProgram(context: CommandContext, version: string): Command {
  const program = newCommand(context, "cofferdam", {
    summary: "run risky agent tools where nothing they do reaches your files until you have seen it",
    description:
      "Runs commands and agent tools on a copy-on-write view of a directory. Nothing reaches the directory until its diff has been reviewed and landed.",
    example: "cofferdam run -- npm test",
  });
  program
    .version(version, "-V, --version", "show the version")
    .helpCommand("help [command]", "show help for a command");
  const commands = [
    runCommand,
    callCommand,
    toolsCommand,
    statusCommand,
    diffCommand,
    landCommand,
    discardCommand,
    undoCommand,
    logCommand,
    approvalsCommand,
    policyCommand,
    doctorCommand,
    imagesCommand,
    cleanupCommand,
  ];
  for (const command of commands) program.addCommand(command(context));
  return program;
}
