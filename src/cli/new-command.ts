import { Command } from "commander";
import type { CommanderError } from "commander";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { usageError } from "../errors/messages/cli.ts";
import type { CommandContext } from "./command-context.ts";

/** What a command's help says, beside its options. */
export interface CommandHelp {
  readonly summary: string;
  /** What the command does; whole sentences. */
  readonly description: string;
  readonly example: string;
  /** Added to a usage error, when there is something that people often mean. */
  readonly hint?: (error: CommanderError) => string | undefined;
}

/** A command that writes through the context and throws what is wrong instead of ending the process. */
export function newCommand(context: CommandContext, name: string, help: CommandHelp): Command {
  const command = new Command(name)
    .summary(help.summary)
    .description(help.description)
    .helpOption("-h, --help", "show this help")
    .addHelpText("after", `\nExample:\n  ${help.example}`)
    .configureOutput({
      writeOut: (text) => context.out.write(text),
      writeErr: (text) => context.err.write(text),
      // The error is thrown below and said by whoever reports errors.
      outputError: () => undefined,
      getOutHasColors: () => context.out.hasColour,
      getErrHasColors: () => context.err.hasColour,
    });
  return command.exitOverride((error) => {
    if (error.exitCode === 0 || error.code === "commander.help") throw error;
    const problem = [toSentence(error.message), help.hint?.(error)].filter((part) => part !== undefined).join("; ");
    throw new ConfigurationError(usageError(problem, `${fullName(command)} --help`), { cause: error });
  });
}

/** Adds `--root`, which every command takes. */
export function withRoot(command: Command): Command {
  return command.option("--root <dir>", "the directory to work on", ".");
}

/** `error: unknown option '--rot'\n(Did you mean --root?)` in our punctuation. */
function toSentence(message: string): string {
  const plain = message
    .replace(/^error: /, "")
    .replace(/\n?\(Did you mean (?<names>.*)\?\)$/, " (did you mean $<names>?)");
  return plain.charAt(0).toUpperCase() + plain.slice(1).replaceAll("'", '"').replace(/\.$/, "");
}

function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}
