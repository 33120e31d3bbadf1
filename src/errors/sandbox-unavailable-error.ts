import { CofferdamError } from "./cofferdam-error.ts";

/** A sandbox cannot be had, or failed itself. Never what a command did. */
export class SandboxUnavailableError extends CofferdamError {
  override readonly code = "sandbox-unavailable";
}
