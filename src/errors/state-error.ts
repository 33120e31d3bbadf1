import { CofferdamError } from "./cofferdam-error.ts";

/** The state directory cannot be used: locked, damaged, or written by another version. */
export class StateError extends CofferdamError {
  override readonly code = "state";
}
