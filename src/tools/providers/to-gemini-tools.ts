import type { Tool } from "../../contract/tool.ts";
import { geminiParameters } from "./convert-parameters.ts";
import type { GeminiSchema } from "./gemini-form.ts";
import { mapToolNames } from "./provider-names.ts";
import { sortedByName } from "./sorted-by-name.ts";

/** A function as Gemini takes it. */
export interface GeminiFunction {
  readonly name: string;
  readonly description: string;
  /** Left out when the tool takes no input. */
  readonly parameters?: GeminiSchema;
}

/** An entry of Gemini's `tools`. */
export interface GeminiTool {
  readonly functionDeclarations: readonly GeminiFunction[];
}

/**
 * Converts tools for Gemini's `tools`: one entry that declares them all, sorted by name.
 * @throws ToolDefinitionError when two tools have the same name.
 */
export function toGeminiTools(tools: readonly Tool[]): readonly GeminiTool[] {
  if (tools.length === 0) return [];
  const names = mapToolNames(tools, "gemini");
  const functionDeclarations = sortedByName(tools).map((tool): GeminiFunction => {
    const { schema } = geminiParameters(tool);
    const named = { name: names.toProvider(tool.name), description: tool.description };
    return schema === undefined ? named : { ...named, parameters: schema };
  });
  return [{ functionDeclarations }];
}
