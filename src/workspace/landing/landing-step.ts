import type { FileFingerprint, Fingerprint, SavedFingerprint } from "../fingerprint.ts";
import type { EntryOwner } from "./anchored-root.ts";

/** One path of a landing or an undo: what is there before, and what is to be there after. */
export interface LandingStep {
  /** Names the staged and the saved content. */
  readonly ordinal: number;
  readonly path: string;
  readonly before: Fingerprint;
  readonly after: Fingerprint;
}

/** Where the content of a new file or symlink comes from. */
export type StepContent =
  /** Nothing to write: a directory, a removal, or only a mode. */
  | { readonly kind: "none"; readonly after: Fingerprint }
  | { readonly kind: "symlink"; readonly target: string }
  /** A file of a layer, to be copied. */
  | { readonly kind: "copy"; readonly hostPath: string | Buffer; readonly mode: number }
  /** The very file of the root under another mode: it has other names, where the mode must stay as it is. */
  | { readonly kind: "duplicate"; readonly of: FileFingerprint; readonly mode: number }
  /** A saved file or symlink, to come back as it was. */
  | { readonly kind: "restore"; readonly hostPath: string; readonly expected: SavedFingerprint };

/** A path of a plan: what was found there, and what is to come. */
export interface PlannedStep {
  readonly path: string;
  readonly before: Fingerprint;
  readonly content: StepContent;
  /** Whom a new entry will belong to; absent when the engine may not give files away. */
  readonly owner: EntryOwner | undefined;
}

/** A moment of a landing, told before it happens. */
export interface LandingMoment {
  readonly phase: "begin" | "stage" | "save" | "intend" | "remove" | "place" | "mode" | "verify" | "commit" | "clean";
  readonly path: string;
}

/** Told before each moment. What it throws is handled as when the system refuses the step. */
export type LandingObserver = (moment: LandingMoment) => void | Promise<void>;

/** The directory below the root where new content waits, on the same file system as its target. */
export function stagingDirectory(landingId: string): string {
  return `.cofferdam-${landingId}`;
}

/** Whether a step only sets permission bits. */
export function isModeOnly({ before, after }: Pick<LandingStep, "before" | "after">): boolean {
  if (before.type === "directory") return after.type === "directory";
  return before.type === "file" && after.type === "file" && before.inode === after.inode;
}

/** Whether going from one state to the other needs the path to be empty in between. */
export function needsRemoval(from: Fingerprint["type"], to: Fingerprint["type"]): boolean {
  if (from === "absent") return false;
  return to === "absent" || (from === "directory") !== (to === "directory");
}
