import type { Tool } from "../contract/tool.ts";
import { schemaMessages } from "../errors/messages/schema.ts";
import { ToolDefinitionError } from "../errors/tool-definition-error.ts";
import type { InputCheck } from "../schema/check-input.ts";
import { compileSchema, type InputValidator } from "../schema/compile-schema.ts";

/** The whole check of a tool's input: its JSON Schema, then what the tool checks beyond it. */
export function createInputValidator(tool: Tool): InputValidator {
  const validator = compileSchema(tool.parameters);
  if (tool.findProblems === undefined) return validator;
  const check = (input: unknown): InputCheck => {
    const checked = validator.check(input);
    return checked.valid ? refine(tool, checked) : checked;
  };
  return Object.freeze({ ...validator, check });
}

function refine(tool: Tool, checked: Extract<InputCheck, { readonly valid: true }>): InputCheck {
  try {
    const problems = tool.findProblems?.(checked.value) ?? [];
    if (problems.length === 0) return checked;
    return { valid: false, message: schemaMessages.inputError(problems, 0), problems };
  } catch (error) {
    if (!(error instanceof ToolDefinitionError)) throw error;
    return { valid: false, message: error.message, problems: [error.message], isToolAtFault: true };
  }
}
