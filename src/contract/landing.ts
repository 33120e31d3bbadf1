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

/**
 * What stands against a landing or an undo at a path. Of two words the first says what the changes do there and the second
 * what has happened in the root since the path was first touched.
 */
export type LandingConflictKind =
  | "edit/edit"
  | "edit/delete"
  | "delete/edit"
  | "add/add"
  /** A directory shall go, and holds what nobody has seen. */
  | "delete/new-child"
  /** There is something of another type now. */
  | "type"
  /** Only the permission bits are others. */
  | "mode"
  /** The directory above is missing, or is none any more. */
  | "parent"
  /** It changed while it was written or applied, and what happened cannot be told. */
  | "moved"
  /** A socket, FIFO or device, or a file that is too large or cannot be read. */
  | "special"
  /** Undo: a pending change touches the path. */
  | "pending";

/** One path at which the root moved, and how. */
export interface LandingConflict {
  readonly path: string;
  readonly kind: LandingConflictKind;
  /** In words. */
  readonly reason: string;
}
