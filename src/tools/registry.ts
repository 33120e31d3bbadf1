import type { Tool, ToolSource } from "../contract/tool.ts";
import type { InputValidator } from "../schema/compile-schema.ts";
import { collectTools } from "./collect-tools.ts";
import { compareNames } from "./compare-names.ts";
import { createInputValidator } from "./input-validator.ts";
import type { NameList } from "./name-list.ts";
import { nearestNames } from "./nearest-names.ts";

/** A tool with the validator of its input. */
export interface RegisteredTool {
  readonly tool: Tool;
  readonly validator: InputValidator;
}

/** The tools of one engine. */
export interface ToolRegistry {
  /** The allowed ones, sorted by name, so that the model is shown the same list each time. */
  readonly tools: readonly Tool[];
  /** Whether the engine's allow list has it; asked for each call. */
  readonly isAllowed: NameList;
  find(name: string): RegisteredTool | undefined;
  /** Names near to one that is none, the nearest first, at most three. */
  suggest(name: string): readonly string[];
}

/**
 * Makes a registry of tools, and of what holds tools.
 * @throws ToolDefinitionError when two have the same name, or one was not made by `defineTool`.
 */
export function createRegistry(sources: readonly ToolSource[], isAllowed: NameList = () => true): ToolRegistry {
  const registered = new Map<string, RegisteredTool>(
    collectTools(sources).map((tool) => [tool.name, Object.freeze({ tool, validator: createInputValidator(tool) })]),
  );
  const names = [...registered.keys()].filter(isAllowed).toSorted(compareNames);
  return Object.freeze({
    tools: Object.freeze(names.flatMap((name) => registered.get(name)?.tool ?? [])),
    isAllowed,
    find: (name: string) => registered.get(name),
    suggest: (name: string) => nearestNames(name, names),
  });
}
