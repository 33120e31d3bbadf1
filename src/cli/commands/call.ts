import type { Command } from "commander";
import type { ToolResult } from "../../contract/tool-result.ts";
import { ConfigurationError } from "../../errors/configuration-error.ts";
import { invalidJson } from "../../errors/messages/cli.ts";
import type { CommandContext } from "../command-context.ts";
import { dispatchTypedCall } from "../dispatch-typed-call.ts";
import type { EndedCall } from "../dispatch-typed-call.ts";
import { EXIT, exitCodeOfCall } from "../exit-code.ts";
import { newCommand } from "../new-command.ts";
import type { DispatchFlags } from "../options/dispatch-options.ts";
import { SHELL_SANDBOXES, withDispatchOptions } from "../options/dispatch-options.ts";
import { escapeText } from "../terminal/escape-text.ts";
import { notify } from "../terminal/notify.ts";

/** `cofferdam call`: any tool, with the input a model would give it. */
export function callCommand(context: CommandContext): Command {
  const command = newCommand(context, "call", {
    summary: "call one tool with a JSON input and print what it answers",
    description:
      "Calls one tool as a model would, and prints what the model would read. The exit code is 0 when the call succeeded, 1 when the tool failed in its own terms, otherwise as for run.",
    example: `cofferdam call read_file '{"path": "README.md"}'`,
  });
  withDispatchOptions(command, [...SHELL_SANDBOXES, "isolate"])
    .argument("<tool>", 'name of the tool; "cofferdam tools" lists them')
    .argument("[input]", 'the input as JSON, or "-" to read it from stdin', "{}")
    .action(async (tool: string, input: string, flags: DispatchFlags) => await call(context, { tool, input, flags }));
  return command;
}

async function call(
  context: CommandContext,
  { tool, input, flags }: { readonly tool: string; readonly input: string; readonly flags: DispatchFlags },
): Promise<void> {
  await dispatchTypedCall(context, {
    call: { name: tool, input: await readInput(context, input) },
    flags,
    showResult: ({ result }) => showResult(context, result),
    exitCodeOf: exitCodeOfEnded,
  });
}

async function readInput(context: CommandContext, input: string): Promise<unknown> {
  const source = input === "-" ? "stdin" : "the command line";
  const text = input === "-" ? await context.readStdin() : input;
  try {
    return JSON.parse(text);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new ConfigurationError(invalidJson(source, problem), { cause: error });
  }
}

/** A file's content may be hostile to a terminal; into a pipe or a file it goes as it is. */
function showResult({ out, err }: CommandContext, result: ToolResult): void {
  if (result.output !== "") {
    const text = result.output.endsWith("\n") ? result.output : `${result.output}\n`;
    out.write(out.isTerminal ? escapeText(text, { keep: "lines" }) : text);
  }
  if (!result.success) notify(err, result.error);
}

/** A name that is no tool is a mistake on the command line; for a tool, `not-found` is an answer. */
function exitCodeOfEnded({ engine, result, interruptedBy }: EndedCall): number {
  const exists = engine.tools.some(({ name }) => name === result.tool);
  return exists ? exitCodeOfCall(result, interruptedBy) : EXIT.usage;
}
