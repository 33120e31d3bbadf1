import type { Change } from "./change.ts";

/** Which pending changes: gitignore-style globs relative to the root. Without `paths`, all of them. */
export interface ChangeSelection {
  readonly paths?: readonly string[];
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
