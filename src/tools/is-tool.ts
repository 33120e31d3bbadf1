import type { Tool, ToolCollection } from "../contract/tool.ts";
import { RISKS, TOOL_NAME } from "./check-definition.ts";

/**
 * Tells a tool from anything else. Plain code that hands over an object of its own would otherwise run under a risk that
 * nobody has checked.
 */
export function isTool(value: unknown): value is Tool {
  // A class-form tool has the same fields, unchecked.
  if (typeof value !== "object" || value === null || isToolCollection(value)) return false;
  const tool: Partial<Record<keyof Tool, unknown>> = value;
  return (
    typeof tool.name === "string" &&
    TOOL_NAME.test(tool.name) &&
    typeof tool.description === "string" &&
    RISKS.some((risk) => risk === tool.risk) &&
    Number.isInteger(tool.timeoutMs) &&
    typeof tool.spec === "object" &&
    typeof tool.execute === "function"
  );
}

/** Tells what holds tools from anything else. */
export function isToolCollection(value: unknown): value is ToolCollection {
  return typeof value === "object" && value !== null && "toTools" in value && typeof value.toTools === "function";
}
