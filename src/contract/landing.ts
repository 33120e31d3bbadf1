import type { Change } from "./change.ts";

/** Which pending changes: gitignore-style globs relative to the root. Without `paths`, all of them. */
export interface ChangeSelection {
  readonly paths?: readonly string[];
}

/** Which pending changes, and the moment at which they were looked at. */
export interface ReviewedSelection extends ChangeSelection {
  /**
   * What `revision()` said before the changes were looked at: when calls have changed the workspace since, nothing is
   * done. @default the moment of this call, so that nothing which a call still running keeps is taken along unseen
   */
  readonly revision?: string;
}

/** A landing, as the list of them shows it. */
export interface LandingSummary {
  readonly id: string;
  readonly landedAt: Date;
  readonly state: "landed" | "undone";
}

/** Changes that reached the root, and can be taken back. */
export interface Landing {
  readonly id: string;
  readonly landedAt: Date;
  readonly changes: readonly Change[];
  /** Selected changes that landing never applies by itself (`.git/**`); they stay pending. */
  readonly heldBack: readonly Change[];
}
