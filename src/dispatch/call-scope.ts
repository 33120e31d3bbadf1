/** What the calls of one batch have in common. */
export interface CallScope {
  readonly signal: AbortSignal;
  /** Given when ids are unique in it. */
  readonly conversation?: string | undefined;
}
