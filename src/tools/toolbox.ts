import type { ToolSearchSettings } from "../contract/engine.ts";
import type { Tool, ToolSource } from "../contract/tool.ts";
import { collectTools } from "./collect-tools.ts";
import { createNameList } from "./name-list.ts";
import { createRegistry } from "./registry.ts";
import type { ToolRegistry } from "./registry.ts";
import { createRestrictions } from "./restrictions.ts";
import type { Restrictions } from "./restrictions.ts";
import { createToolShelf } from "./tool-shelf.ts";

/** What an engine has in tools. */
export interface Toolbox {
  readonly registry: ToolRegistry;
  /** The tools to show to the model now, sorted by name. */
  readonly offered: () => readonly Tool[];
  readonly restrictions: Restrictions;
}

/** What a toolbox is filled with. */
export interface ToolboxOptions {
  readonly sources: readonly ToolSource[];
  /** Tools of the engine itself, which no allow list keeps away. */
  readonly ownTools?: readonly Tool[];
  readonly allowedTools?: readonly string[] | undefined;
  readonly toolSearch?: ToolSearchSettings | undefined;
}

/**
 * Puts an engine's tools together: all that may be called, and those of them that the model is shown.
 * @throws ToolDefinitionError when two tools have one name.
 * @throws ConfigurationError when a list names a tool that there is not.
 */
export function createToolbox({ sources, ownTools = [], allowedTools, toolSearch }: ToolboxOptions): Toolbox {
  const given = collectTools([...sources, ...ownTools]);
  const own = new Set(ownTools.map(({ name }) => name));
  const known = given.map(({ name }) => name);
  const isListed =
    allowedTools === undefined ? () => true : createNameList({ option: "allowedTools", listed: allowedTools, known });
  const isAllowed = (name: string): boolean => own.has(name) || isListed(name);
  const allowed = given.filter(({ name }) => isAllowed(name));
  const shelf = createToolShelf({ tools: allowed, own, ...toolSearch });
  for (const { name } of shelf.ownTools) own.add(name);
  const registry = createRegistry([...given, ...shelf.ownTools], isAllowed);
  const restrictions = createRestrictions({ known, own });
  const offered = (): readonly Tool[] => shelf.choose(registry.tools).filter(restrictions.now());
  return { registry, offered, restrictions };
}
