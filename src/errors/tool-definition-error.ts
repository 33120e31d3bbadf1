import { CofferdamError } from "./cofferdam-error.ts";

/** A tool is defined wrongly, or two tools have one name. */
export class ToolDefinitionError extends CofferdamError {
  override readonly code = "tool-definition";
}
