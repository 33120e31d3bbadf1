/**
 * A model chooses worse and pays more with each tool that it is shown. Above a threshold it is shown those that it needs
 * for most work, and `tool_search` to find the others; what it has found it is shown from then on. This is about the length
 * of a list and about nothing else: what may be called, and what the gate says to it, is the same for every tool.
 */
import type { ToolSearchSettings } from "../contract/engine.ts";
import type { Tool } from "../contract/tool.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { toolMessages } from "../errors/messages/tools.ts";
import { showValue } from "../schema/show-value.ts";
import { coreTools } from "./core-tools.ts";
import { createNameList } from "./name-list.ts";
import { createToolSearch } from "./tool-search.ts";

/** Which tools the model is shown. */
export interface ToolShelf {
  /** `tool_search`, when some tools are not shown. */
  readonly ownTools: readonly Tool[];
  /** Those of the tools that are shown now, in the order given. */
  choose(tools: readonly Tool[]): readonly Tool[];
}

/** What goes on the shelf. */
export interface ToolShelfOptions extends ToolSearchSettings {
  readonly tools: readonly Tool[];
  /** Names of the engine's own tools, always shown. */
  readonly own: ReadonlySet<string>;
}

/**
 * Makes the shelf.
 * @throws ConfigurationError when a setting is wrong.
 */
export function createToolShelf({ tools, own, above = 30, always }: ToolShelfOptions): ToolShelf {
  if (!Number.isInteger(above) || above < 1) {
    throw new ConfigurationError(toolMessages.searchSetting("above", showValue(above)));
  }
  const names = tools.map(({ name }) => name);
  const isAlways =
    always === undefined ? isCoreTool : createNameList({ option: "toolSearch.always", listed: always, known: names });
  const deferred = tools.filter(({ name }) => !own.has(name) && !isAlways(name));
  if (tools.length <= above || deferred.length === 0) return { ownTools: [], choose: (all) => all };
  const found = new Set<string>();
  const search = createToolSearch({ tools: deferred, onFound: (name) => void found.add(name) });
  const hidden = new Set(deferred.map(({ name }) => name));
  return {
    ownTools: [search],
    choose: (all) => all.filter(({ name }) => !hidden.has(name) || found.has(name)),
  };
}

function isCoreTool(name: string): boolean {
  return CORE_NAMES.has(name);
}

const CORE_NAMES: ReadonlySet<string> = new Set(coreTools().map(({ name }) => name));
