import { CofferdamError } from "./cofferdam-error.ts";

/** A permit was used twice, too late, or for another call than it was given for. */
export class PermitError extends CofferdamError {
  override readonly code = "permit";
}
