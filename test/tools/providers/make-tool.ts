import type { ObjectSchema } from "../../../src/contract/json-schema.ts";
import type { Tool } from "../../../src/contract/tool.ts";
import { defineTool } from "../../../src/tools/define-tool.ts";

/** A tool with an input schema. */
export function toolWith(parameters: unknown, rest: Partial<Tool> = {}): Tool {
  // Tests also hand over schemas that the type says too little of.
  const tool = defineTool({
    name: "tool",
    description: "A tool",
    parameters: parameters as ObjectSchema,
    execute: () => "",
  });
  return { ...tool, ...rest };
}

/** A tool whose input has one property, `x`. */
export function toolWithProperty(property: unknown, required: readonly string[] = ["x"]): Tool {
  return toolWith({ type: "object", properties: { x: property }, required });
}
