import { ConfigurationError } from "../errors/configuration-error.ts";
import { toolMessages } from "../errors/messages/tools.ts";
import { nearestNames } from "./nearest-names.ts";

/** Says whether a name is on a list. */
export type NameList = (name: string) => boolean;

/** A list of names in the options of an engine. */
export interface ListedNames {
  readonly option: string;
  readonly listed: readonly string[];
  /** The names that there are. */
  readonly known: readonly string[];
}

/**
 * Makes a test of a list of tool names, which does not look at their case.
 * @throws ConfigurationError when a name on the list is no tool's.
 */
export function createNameList({ option, listed, known }: ListedNames): NameList {
  const names = lowerCased(known);
  const unknown = listed.find((name) => !names.has(name.toLowerCase()));
  if (unknown !== undefined) {
    throw new ConfigurationError(toolMessages.unknownListed(option, unknown, nearestNames(unknown, known)));
  }
  const list = lowerCased(listed);
  return (name) => list.has(name.toLowerCase());
}

function lowerCased(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map((name) => name.toLowerCase()));
}
