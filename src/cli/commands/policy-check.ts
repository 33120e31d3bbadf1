import type { Command } from "commander";
import type { Effect } from "../../contract/gate.ts";
import type { ToolCall } from "../../contract/tool-call.ts";
import { ConfigurationError } from "../../errors/configuration-error.ts";
import { COMMAND_OR_TOOL, invalidBatchLine } from "../../errors/messages/policy-commands.ts";
import type { CommandContext } from "../command-context.ts";
import { EXIT } from "../exit-code.ts";
import { newCommand, withRoot } from "../new-command.ts";
import { readInput } from "../read-input.ts";
import { escapeText } from "../terminal/escape-text.ts";
import { notify } from "../terminal/notify.ts";
import { writeJson, writeJsonLine } from "../terminal/write-json.ts";
import { callOf } from "./policy-explain.ts";

interface CheckFlags {
  readonly root: string;
  readonly json?: true;
  readonly batch?: string;
}

/** `cofferdam policy check`: the verdict on a command, or on many. */
export function policyCheckCommand(context: CommandContext): Command {
  const command = newCommand(context, "check", {
    summary: "check the policy files, and the verdict on commands",
    description:
      'Checks the policy files. With a command it prints allow, ask or deny, and exits with 0, 1 or 126. With --batch it reads JSON lines, each {"command": …} or {"tool": …, "input": …}, and prints a JSON line for each.',
    example: "cofferdam policy check -- git push",
  });
  return withRoot(command)
    .argument("[command...]", "the command, after --; several words are quoted, one is taken as it is")
    .option("--batch <file>", "read JSON lines from a file, or from stdin with -")
    .option("--json", "print one JSON object")
    .action(async (words: readonly string[], flags: CheckFlags) => {
      if (flags.batch !== undefined && words.length > 0) throw new ConfigurationError(COMMAND_OR_TOOL);
      if (flags.batch !== undefined) await checkBatch(context, flags, flags.batch);
      else if (words.length > 0) await checkCommand(context, words, flags);
      else await checkFiles(context, flags);
    });
}

async function checkFiles({ openEngine, out, err }: CommandContext, { root }: CheckFlags): Promise<void> {
  await using engine = await openEngine({ root });
  for (const notice of engine.notices) notify(err, notice);
  out.write("The policy can be used\n");
}

async function checkCommand(context: CommandContext, words: readonly string[], flags: CheckFlags): Promise<void> {
  await using engine = await context.openEngine({ root: flags.root });
  const explanation = await engine.policy.explain(callOf(words, {}));
  if (flags.json === true) writeJson(context.out, explanation);
  else context.out.write(`${explanation.effect}: ${escapeText(explanation.reason)}\n`);
  context.setExitCode(EXIT_OF[explanation.effect]);
}

const EXIT_OF: Readonly<Record<Effect, number>> = { allow: EXIT.success, ask: EXIT.failure, deny: EXIT.denied };

async function checkBatch(context: CommandContext, { root }: CheckFlags, file: string): Promise<void> {
  const text = await readInput(context, file);
  const calls = text.split("\n").flatMap((line, index) => (line.trim() === "" ? [] : [readCall(line, index + 1)]));
  await using engine = await context.openEngine({ root });
  for (const call of calls) writeJsonLine(context.out, await engine.policy.explain(call));
}

function readCall(line: string, number: number): ToolCall {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new ConfigurationError(invalidBatchLine(number), { cause: error });
  }
  if (typeof value !== "object" || value === null) throw new ConfigurationError(invalidBatchLine(number));
  const id = String(number);
  if ("command" in value && typeof value.command === "string")
    return { id, name: "shell", input: { command: value.command } };
  if ("tool" in value && typeof value.tool === "string")
    return { id, name: value.tool, input: "input" in value ? value.input : {} };
  throw new ConfigurationError(invalidBatchLine(number));
}
