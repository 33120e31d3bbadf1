/**
 * A registry refuses two tools of one name, because one of them would silently be another than its author meant. A pool
 * is where overriding is meant: tools of one's own replace those that come along, and those of a server replace both.
 * Within one list a name still stands for one tool.
 */
import type { Tool, ToolSource } from "../contract/tool.ts";
import { collectTools } from "./collect-tools.ts";
import { compareNames } from "./compare-names.ts";

/** What a pool is put together from. */
export interface ToolPoolOptions {
  readonly base?: readonly ToolSource[];
  /** Replace tools of `base` that have the same name. */
  readonly custom?: readonly ToolSource[];
  /** Replace tools of `base` and `custom` that have the same name. */
  readonly mcp?: readonly ToolSource[];
  /** Names to keep, whatever their case. An empty list keeps all. @default all */
  readonly allowed?: readonly string[];
  /** Names to leave out, whatever their case, even when they are allowed too. @default none */
  readonly disallowed?: readonly string[];
}

/**
 * Puts tools of several sources together, sorted by name.
 * @throws ToolDefinitionError when two tools of one source have one name.
 */
export function assembleToolPool(options: ToolPoolOptions): readonly Tool[] {
  const { base = [], custom = [], mcp = [], allowed = [], disallowed = [] } = options;
  const byName = new Map<string, Tool>();
  for (const source of [base, custom, mcp]) {
    for (const tool of collectTools(source)) byName.set(tool.name, tool);
  }
  const [kept, left] = [lowerCased(allowed), lowerCased(disallowed)];
  return [...byName.values()]
    .filter(({ name }) => kept.size === 0 || kept.has(name.toLowerCase()))
    .filter(({ name }) => !left.has(name.toLowerCase()))
    .toSorted((first, second) => compareNames(first.name, second.name));
}

function lowerCased(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map((name) => name.toLowerCase()));
}
