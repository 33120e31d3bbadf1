import type { Tool } from "../../contract/tool.ts";
import { type InputJsonSchema, mcpParameters } from "./convert-parameters.ts";
import { toModernSchema } from "./modern-schema.ts";
import { mapToolNames } from "./provider-names.ts";
import { sortedByName } from "./sorted-by-name.ts";

/** What an MCP client is told about the effects of a tool. */
export interface McpToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** A tool as `tools/list` of MCP gives it. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: InputJsonSchema;
  /** Left out when the output is no object, which MCP cannot announce. */
  readonly outputSchema?: InputJsonSchema;
  readonly annotations: McpToolAnnotations;
}

/**
 * Converts tools for the answer to MCP's `tools/list`, sorted by name.
 * @throws ToolDefinitionError when two tools have the same name.
 */
export function toMcpTools(tools: readonly Tool[]): readonly McpTool[] {
  const names = mapToolNames(tools, "mcp");
  return sortedByName(tools).map((tool) => {
    const outputSchema = mcpOutputSchema(tool);
    return {
      name: names.toProvider(tool.name),
      description: tool.description,
      inputSchema: mcpParameters(tool).schema,
      ...(outputSchema === undefined ? {} : { outputSchema }),
      annotations: annotationsOf(tool),
    };
  });
}

/** The schema of `structuredContent`, which is always an object. */
export function mcpOutputSchema({ output }: Tool): InputJsonSchema | undefined {
  if (typeof output !== "object" || output["type"] !== "object") return undefined;
  return { ...toModernSchema(output), type: "object" };
}

/**
 * What the tool says of itself, else the worst that the risk allows: a write or exec tool may delete, and every tool may
 * reach beyond the workspace, because its own code is free to. A client must not take the hints of a server it does not
 * trust for more than hints.
 */
function annotationsOf({ risk, idempotent, destructive, openWorld }: Tool): McpToolAnnotations {
  const isReadOnly = risk === "read";
  return {
    readOnlyHint: isReadOnly,
    destructiveHint: destructive ?? !isReadOnly,
    idempotentHint: isReadOnly || idempotent,
    openWorldHint: openWorld ?? true,
  };
}
