import type { ErrorKind } from "../contract/tool-result.ts";
import { CofferdamError } from "./cofferdam-error.ts";

/** What a tool may say beside the message. */
export interface ToolErrorOptions {
  readonly kind?: ErrorKind;
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** Thrown by a tool to fail with a message that the model sees. */
export class ToolError extends CofferdamError {
  override readonly code = "tool";
  /** @default "business" */
  readonly kind: ErrorKind;
  /** From when on trying again makes sense; a retry waits that long. @default unknown */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: ToolErrorOptions = {}) {
    super(message, options);
    this.kind = options.kind ?? "business";
    this.retryAfterMs = options.retryAfterMs;
  }
}
