/** Sentences about hooks, for the model: parts of "Permission denied for …". */
export const hookMessages = {
  blocked: (reason: string) => (reason === "" ? "a hook blocked it" : `a hook blocked it: ${reason}`),
  failed: (problem: string) => `the hook "beforeCall" failed: ${problem}`,
  expired: (timeoutMs: number) => `the hook "beforeCall" did not answer within ${timeoutMs / 1000} s`,
  noDecision: "it did not answer with a decision",
  invalidEdit: (problem: string) => `the input that the hook "beforeCall" gave is not valid: ${problem}`,
  editedTwice: 'the hook "beforeCall" would change what the reviewer has edited',
} as const;
