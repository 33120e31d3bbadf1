import { readFile } from "node:fs/promises";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { invalidInputJson, unreadableInput } from "../errors/messages/policy-commands.ts";
import type { CommandContext } from "./command-context.ts";

/**
 * The text of a file, or of stdin for `-`.
 * @throws ConfigurationError when it cannot be read.
 */
export async function readInput({ readStdin }: CommandContext, file: string): Promise<string> {
  if (file === "-") return await readStdin();
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new ConfigurationError(unreadableInput(file), { cause: error });
  }
}

/**
 * Reads JSON that came from a place: a file or an option.
 * @throws ConfigurationError when it is none.
 */
export function parseJson(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigurationError(invalidInputJson(place), { cause: error });
  }
}
