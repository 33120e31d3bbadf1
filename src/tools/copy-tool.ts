import type { Tool, ToolChanges } from "../contract/tool.ts";
import { toolMessages } from "../errors/messages/tools.ts";
import { ToolDefinitionError } from "../errors/tool-definition-error.ts";
import { definitionOptions } from "./definition-options.ts";

/**
 * Defines a tool again with some options changed. Risk, schemas and code belong together, so a copy keeps them: a tool
 * that differs in one of them is another tool.
 * @throws ToolDefinitionError when a change is none that a copy may make, or gives a wrong value.
 */
export function copyTool(
  definition: { readonly name: string },
  changes: ToolChanges,
  define: (definition: object) => Tool,
): Tool {
  const foreign = Object.keys(changes).find((field) => !CHANGEABLE.includes(field));
  if (foreign !== undefined) {
    const problem = toolMessages.unchangeable(foreign.slice(0, 64), CHANGEABLE);
    throw new ToolDefinitionError(toolMessages.cannotCopy(definition.name, problem));
  }
  return define({ ...definitionOptions(definition), ...changes });
}

const CHANGEABLE: readonly string[] = [
  "name",
  "description",
  "timeoutMs",
  "maxRetries",
  "idempotent",
  "parallel",
  "capabilities",
  "tier",
  "requiresApproval",
] satisfies readonly (keyof ToolChanges)[];
