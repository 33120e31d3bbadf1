/** What is searched for, and where. */
export interface PrefilterRequest {
  /** A directory of the workspace, resolved (`""` is the root). */
  readonly start: string;
  /** In RE2's syntax. */
  readonly expression: string;
  readonly ignoreCase: boolean;
  /** What paths below `start` should be like, as `.gitignore` files write it; `!` before one turns it round. */
  readonly globs: readonly string[];
  readonly includeIgnored: boolean;
  readonly signal: AbortSignal;
}

/** Tells of files, one by one, that no line of them matches, without the engine having to read them. */
export interface Prefilter extends AsyncDisposable {
  /** Whether that is certain of this file; waits until it is known. `false` means that the file has to be read. */
  holdsNoMatch(path: string): boolean | Promise<boolean>;
}

/** Begins to look through a directory; `undefined` when nothing can be said about this request. */
export type StartPrefilter = (request: PrefilterRequest) => Promise<Prefilter | undefined>;
