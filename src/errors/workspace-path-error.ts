import { CofferdamError } from "./cofferdam-error.ts";

/** Why a path cannot be used, after POSIX. */
export type PathErrorReason =
  | "not-found"
  | "not-a-directory"
  | "is-a-directory"
  | "not-a-symlink"
  | "exists"
  | "not-empty"
  | "outside-root"
  | "too-many-links"
  | "too-large"
  | "unsupported-type"
  | "permission-denied"
  | "hidden"
  | "no-room"
  | "invalid-path";

/** A path of the workspace that cannot be used as asked. A tool turns it into a failed result. */
export class WorkspacePathError extends CofferdamError {
  override readonly code = "workspace-path";
  readonly reason: PathErrorReason;
  /** As it was asked for. */
  readonly path: string;

  constructor(message: string, options: { readonly reason: PathErrorReason; readonly path: string }) {
    super(message);
    this.reason = options.reason;
    this.path = options.path;
  }
}
