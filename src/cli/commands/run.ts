import type { Command, CommanderError } from "commander";
import type { DispatchEvent } from "../../contract/event.ts";
import type { ToolResult } from "../../contract/tool-result.ts";
import { SEPARATE_THE_COMMAND, STDIN_NOT_READ } from "../../errors/messages/cli.ts";
import type { CommandContext } from "../command-context.ts";
import { describeFailure } from "../describe-failure.ts";
import { dispatchTypedCall } from "../dispatch-typed-call.ts";
import { exitCodeOfRun } from "../exit-code.ts";
import { newCommand } from "../new-command.ts";
import type { DispatchFlags } from "../options/dispatch-options.ts";
import { SHELL_SANDBOXES, withDispatchOptions } from "../options/dispatch-options.ts";
import { toScript } from "../quote-for-shell.ts";
import { notify } from "../terminal/notify.ts";
import { renderRefused } from "../terminal/render-refused.ts";
import { startLine } from "../terminal/start-line.ts";

/** `cofferdam run`: a command in a sandbox, its output live, its changes for review. */
export function runCommand(context: CommandContext): Command {
  const command = newCommand(context, "run", {
    summary: "run a command in a sandbox, show what it changed, offer to land it",
    description:
      "Runs a command in a sandbox on a copy-on-write view of the root. Its output is streamed as it is, and the exit code is its own. What it changed waits for review: nothing reaches the root until it is landed.",
    example: "cofferdam run -- npm test",
    hint: hintAtSeparator,
  });
  withDispatchOptions(command, SHELL_SANDBOXES)
    .usage("[options] -- <command...>")
    .argument("<command...>", "one argument is a shell script; several are a program and its arguments")
    .addHelpText("after", NOTES)
    .action(async (words: readonly string[], flags: DispatchFlags) => await run(context, words, flags));
  return command;
}

const NOTES = `
Its stdin is empty: what is piped into cofferdam is not passed on; give input in a file of the root.

Exit code: the command's own; 124 it timed out, 125 the engine or the sandbox failed or the changes could not
be landed, 126 it was denied, 128+n signal n ended it, 2 the command line or the configuration is wrong.`;

/** Whoever writes `run ls -la` gives `-la` to us; a misspelt option of ours has a suggestion instead. */
function hintAtSeparator({ code, message }: CommanderError): string | undefined {
  return code === "commander.unknownOption" && !message.includes("Did you mean") ? SEPARATE_THE_COMMAND : undefined;
}

async function run(context: CommandContext, words: readonly string[], flags: DispatchFlags): Promise<void> {
  const output = createOutputPrinter(context);
  if (context.hasPipedInput()) notify(context.err, STDIN_NOT_READ);
  await dispatchTypedCall(context, {
    call: { name: "shell", input: { command: toScript(words) } },
    flags,
    onEvent: output.onEvent,
    showResult: ({ result, interruptedBy }) => {
      output.printRest(result);
      // As with every program in a pipe, nothing is said when the reader has seen enough.
      const failure = result.success || interruptedBy === "SIGPIPE" ? undefined : describeFailure(result);
      const refused = renderRefused(result.metadata);
      if (failure !== undefined || refused !== "" || result.changes.length > 0) startLine(context);
      if (failure !== undefined) notify(context.err, failure);
      context.err.write(refused);
    },
    exitCodeOf: ({ result, interruptedBy }) => exitCodeOfRun(result, interruptedBy),
  });
}

interface OutputPrinter {
  readonly onEvent: (event: DispatchEvent) => void;
  /** Prints the output that no event has brought. */
  readonly printRest: (result: ToolResult) => void;
}

/** Passes output on byte for byte; where a backend brings none while it runs, the result's own text is printed once. */
function createOutputPrinter({ out, err }: CommandContext): OutputPrinter {
  let received = false;
  return {
    onEvent(event) {
      if (event.type !== "output-received") return;
      received = true;
      (event.chunk.stream === "stdout" ? out : err).write(event.chunk.bytes);
    },
    printRest({ output, metadata }) {
      const printed = Number(metadata["stdoutBytes"] ?? 0) + Number(metadata["stderrBytes"] ?? 0) > 0;
      if (received || !printed) return;
      out.write(output.endsWith("\n") ? output : `${output}\n`);
    },
  };
}
