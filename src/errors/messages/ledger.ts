/** Sentences about calls that have begun before, for the model. */
export const ledgerMessages = {
  interrupted: (tool: string) =>
    `"${tool}" may or may not have run: the engine died while it did. This call is not run again; look at what is there now, and make a new call for what is missing`,
  running: (tool: string) => `"${tool}" was not started: this very call is already running`,
  resultNotKept: (tool: string) =>
    `"${tool}" was not started again: this very call has been answered before, with a result that could not be kept; look at what is there now`,
  replayed: "this very call has been answered before, and is given the same result",
} as const;
