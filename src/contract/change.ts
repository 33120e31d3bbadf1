/** What is found at a path. Sockets, FIFOs and devices are never part of a workspace. */
export type EntryType = "file" | "directory" | "symlink";

/** What happened to a path; `replaced` means that its type changed (file, directory and symlink swapped). */
export type ChangeKind = "added" | "modified" | "deleted" | "mode-changed" | "replaced";

/** One path that the workspace holds differently from the root. */
export interface Change {
  /** Relative to the root, `/` between the parts, never starting with `/` or holding `..`. */
  readonly path: string;
  readonly kind: ChangeKind;
  /** The type after the change; for `deleted`, the type before it. */
  readonly type: EntryType;
  /** The path it was renamed from. */
  readonly from?: string;
  /** The dispatch that changed it last. */
  readonly callId: string;
  /** The name as bytes, present when it is not UTF-8. */
  readonly pathBytes?: Uint8Array;
}
