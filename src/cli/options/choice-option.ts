import { Option } from "commander";
import { ConfigurationError } from "../../errors/configuration-error.ts";
import { notOneOf } from "../../errors/messages/cli.ts";

/**
 * An option whose value is one of a few words.
 * @throws ConfigurationError while the command line is read, when the value is another word; the message lists them.
 */
export function choiceOption(flags: string, description: string, choices: readonly string[]): Option {
  const option = new Option(flags, description);
  return option.argParser((text: string) => {
    if (!choices.includes(text)) throw new ConfigurationError(notOneOf(option.long ?? flags, text, choices));
    return text;
  });
}
