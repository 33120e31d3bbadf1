import type { LandingConflict } from "../contract/landing.ts";
import { CofferdamError } from "./cofferdam-error.ts";

/** The root moved under the paths of a landing or an undo; nothing was changed. */
export class LandingConflictError extends CofferdamError {
  override readonly code = "landing-conflict";
  /** Each path that moved, and how. */
  readonly conflicts: readonly LandingConflict[];

  constructor(message: string, options: Pick<LandingConflictError, "conflicts"> & { readonly cause?: unknown }) {
    super(message, options);
    this.conflicts = options.conflicts;
  }
}
