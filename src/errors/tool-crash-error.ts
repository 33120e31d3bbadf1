import type { ToolResult } from "../contract/tool-result.ts";
import { CofferdamError } from "./cofferdam-error.ts";

/** A tool's own code threw what it did not mean to, and the engine was told to stop then (`onThrow: "stop"`). */
export class ToolCrashError extends CofferdamError {
  override readonly code = "tool-crash";
  /** What every call of the batch was answered, in order; the ones that had not begun are `cancelled`. */
  readonly results: readonly ToolResult[];

  constructor(message: string, options: Pick<ToolCrashError, "results"> & { readonly cause: unknown }) {
    super(message, options);
    this.results = options.results;
  }
}
