import type { ErrorKind } from "../contract/tool-result.ts";
import { CofferdamError } from "./cofferdam-error.ts";

/** Thrown by a tool to fail with a message that the model sees. */
export class ToolError extends CofferdamError {
  override readonly code = "tool";
  /** @default "business" */
  readonly kind: ErrorKind;

  constructor(message: string, options: { readonly kind?: ErrorKind; readonly cause?: unknown } = {}) {
    super(message, options);
    this.kind = options.kind ?? "business";
  }
}
