import type { EntryType } from "./change.ts";

/** One path in a layer's manifest. */
export type ManifestEntry =
  | {
      readonly op: "put";
      readonly path: string;
      readonly type: EntryType;
      /** A directory that hides everything which lower layers and the root have below it. */
      readonly opaque?: boolean;
    }
  | { readonly op: "delete"; readonly path: string };

/** A finished layer: what it changed, and where the new content is. Plain data, so that another process can use it. */
export interface Layer {
  readonly id: number;
  /** An overlayfs upper directory: new content under its own path, a deletion as a character device 0:0. */
  readonly upper: string;
  /** Says the same as `upper`, and is authoritative where the file system can hold no character device. */
  readonly entries: readonly ManifestEntry[];
}

/** Entries of any type, and bytes of content. */
export interface LayerRoom {
  readonly files: number;
  readonly bytes: number;
}

/**
 * How a sandbox hides paths. A kernel mount gets the mask as its uppermost lower layer (`lowersOf` in `sandbox/overlay`); a
 * union in this process judges every path by the patterns. Whatever a command makes at a hidden path is not kept.
 */
export interface MountHiding {
  readonly patterns: readonly string[];
  /** A layer of deletions: every hidden path that was there when the mount was prepared. */
  readonly mask: Layer;
}

/** What a sandbox mounts or copies to show the workspace and to catch what a command changes. Plain data. */
export interface LayerMount {
  /** The root's real path. */
  readonly root: string;
  /** Kept layers, oldest first. */
  readonly lowers: readonly Layer[];
  /** How much the new layer may hold. A union in this process keeps to it; what a mount writes is measured from outside. */
  readonly room?: LayerRoom;
  /** What nobody may see; absent when nothing is hidden. */
  readonly hidden?: MountHiding;
  /** The empty (or partly filled) upper directory of the new layer. */
  readonly upper: string;
  /** An empty directory on the same file system, which overlayfs needs. */
  readonly work: string;
}
