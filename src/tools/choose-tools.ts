import type { Tool, ToolSource } from "../contract/tool.ts";
import { collectTools } from "./collect-tools.ts";

/**
 * The tools of one tier, in the order given.
 * @throws ToolDefinitionError when two tools have one name.
 */
export function toolsOfTier(tools: readonly ToolSource[], tier: Tool["tier"]): readonly Tool[] {
  return collectTools(tools).filter((tool) => tool.tier === tier);
}

/** Which capabilities a tool must have; what is left out asks for nothing. */
export interface CapabilityFilter {
  /** Every one of these. */
  readonly all?: readonly string[];
  /** At least one of these. */
  readonly any?: readonly string[];
  /** None of these. */
  readonly none?: readonly string[];
}

/**
 * The tools whose capabilities pass a filter, in the order given.
 * @example
 * ```ts
 * const offline = toolsWithCapabilities(tools, { none: ["network"] });
 * ```
 * @throws ToolDefinitionError when two tools have one name.
 */
export function toolsWithCapabilities(
  tools: readonly ToolSource[],
  { all = [], any, none = [] }: CapabilityFilter,
): readonly Tool[] {
  return collectTools(tools).filter(({ capabilities }) => {
    const has = (capability: string): boolean => capabilities.includes(capability);
    return all.every(has) && (any === undefined || any.some(has)) && !none.some(has);
  });
}
