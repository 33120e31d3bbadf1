import { distance } from "fastest-levenshtein";
import type { Tool, ToolSource } from "../contract/tool.ts";
import type { InputValidator } from "../schema/compile-schema.ts";
import { createInputValidator } from "./input-validator.ts";
import { collectTools } from "./collect-tools.ts";

/** A tool with the validator of its input. */
export interface RegisteredTool {
  readonly tool: Tool;
  readonly validator: InputValidator;
}

/** The tools of one engine. */
export interface ToolRegistry {
  /** Sorted by name, so that the model is shown the same list each time. */
  readonly tools: readonly Tool[];
  find(name: string): RegisteredTool | undefined;
  /** Names near to one that is none, the nearest first, at most three. */
  suggest(name: string): readonly string[];
}

/**
 * Makes a registry of tools, and of what holds tools.
 * @throws ToolDefinitionError when two have the same name, or one was not made by `defineTool`.
 */
export function createRegistry(sources: readonly ToolSource[]): ToolRegistry {
  const registered = new Map<string, RegisteredTool>(
    collectTools(sources).map((tool) => [tool.name, Object.freeze({ tool, validator: createInputValidator(tool) })]),
  );
  const names = [...registered.keys()].toSorted(compareCodeUnits);
  return Object.freeze({
    tools: Object.freeze(names.flatMap((name) => registered.get(name)?.tool ?? [])),
    find: (name: string) => registered.get(name),
    suggest: (name: string) => nearestNames(name, names),
  });
}

const MAX_SUGGESTIONS = 3;
const MAX_COMPARED_CHARACTERS = 64;

function nearestNames(name: string, names: readonly string[]): readonly string[] {
  // The name comes from the model; comparing costs its length.
  const asked = name.slice(0, MAX_COMPARED_CHARACTERS).toLowerCase();
  return names
    .map((candidate) => ({ candidate, steps: stepsBetween(asked, candidate.toLowerCase()) }))
    .filter(({ candidate, steps }) => steps <= Math.ceil(Math.max(candidate.length, asked.length) / 2))
    .toSorted((left, right) => left.steps - right.steps)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ candidate }) => candidate);
}

/** A name inside of the other one, such as "read" and "read_file", is as near as one typing mistake. */
function stepsBetween(asked: string, candidate: string): number {
  const isPart = asked.length >= 3 && (candidate.includes(asked) || asked.includes(candidate));
  return isPart ? Math.min(1, distance(asked, candidate)) : distance(asked, candidate);
}

function compareCodeUnits(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
