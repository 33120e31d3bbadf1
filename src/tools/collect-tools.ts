import type { Tool, ToolSource } from "../contract/tool.ts";
import { toolMessages } from "../errors/messages/tools.ts";
import { ToolDefinitionError } from "../errors/tool-definition-error.ts";
import { showValue } from "../schema/show-value.ts";
import { isTool, isToolCollection } from "./is-tool.ts";

/**
 * Takes the tools out of what holds them. One and the same tool may come from several places and counts once.
 * @throws ToolDefinitionError when two tools have one name, naming both and where they come from.
 */
export function collectTools(sources: readonly ToolSource[]): readonly Tool[] {
  const found = new Map<string, FoundTool>();
  for (const source of sources) {
    for (const tool of toolsIn(source)) {
      const other = found.get(tool.name);
      if (other?.tool === tool) continue;
      if (other !== undefined) throw sameName(other, { tool, source });
      found.set(tool.name, { tool, source });
    }
  }
  return [...found.values()].map(({ tool }) => tool);
}

interface FoundTool {
  readonly tool: Tool;
  readonly source: ToolSource;
}

function toolsIn(source: ToolSource): readonly Tool[] {
  const tools: readonly unknown[] = isToolCollection(source) ? source.toTools() : [source];
  return tools.map((tool) => {
    if (!isTool(tool)) throw new ToolDefinitionError(toolMessages.notATool(showValue(tool)));
    return tool;
  });
}

function sameName(first: FoundTool, second: FoundTool): ToolDefinitionError {
  const problem = toolMessages.twice(describeFound(first), describeFound(second));
  return new ToolDefinitionError(toolMessages.cannotRegister(first.tool.name, problem));
}

function describeFound({ tool, source }: FoundTool): string {
  const [firstLine = ""] = tool.description.split("\n", 1);
  const shown = firstLine.length > 60 ? `${firstLine.slice(0, 60)}…` : firstLine;
  const described = toolMessages.oneTool(tool.risk, shown);
  if (!isToolCollection(source)) return described;
  const { collectionName = toolMessages.ofClass(source.constructor.name) } = source;
  return toolMessages.ofSource(described, collectionName);
}
