/** One line of a hunk. */
export interface HunkLine {
  readonly kind: "kept" | "removed" | "added";
  /** Without its line feed; a carriage return that the patch holds is a part of it. */
  readonly text: string;
}

/** Lines that go together: where they are now, and what becomes of them. */
export interface Hunk {
  readonly lines: readonly HunkLine[];
  /** The line of the old file, from 1, where the patch says it is; `undefined` when it says nothing. */
  readonly oldStart: number | undefined;
  /** Lines that come before it in the file, one after the other: what follows `@@ ` in the envelope form. */
  readonly anchors: readonly string[];
  /** Its lines are the last of the file. */
  readonly isAtEnd: boolean;
  /** Whether the new file ends in a newline; `undefined` when the patch says nothing. */
  readonly newEnd: "newline" | "no-newline" | undefined;
}

/** What a patch does to one file. */
export type FilePatch =
  | { readonly action: "add"; readonly path: string; readonly content: string; readonly mode: number | undefined }
  | { readonly action: "delete"; readonly path: string; readonly hunks: readonly Hunk[] }
  | {
      readonly action: "update";
      readonly path: string;
      /** The path that it is moved to. */
      readonly to: string | undefined;
      readonly hunks: readonly Hunk[];
      readonly mode: number | undefined;
    };

/** A patch that was understood, or what is wrong with it. */
export type ParsedPatch =
  | { readonly ok: true; readonly files: readonly FilePatch[]; readonly notes: readonly string[] }
  | { readonly ok: false; readonly problem: string };
