/** Sentences about hooks, for the model: parts of "Permission denied for …", and what stands for a result. */
export const hookMessages = {
  blocked: (reason: string) => (reason === "" ? "a hook blocked it" : `a hook blocked it: ${reason}`),
  stopped: (reason: string) =>
    `a hook stopped this and every other call of its batch${reason === "" ? "" : `: ${reason}`}`,
  failed: (problem: string) => `the hook "beforeCall" failed: ${problem}`,
  expired: (timeoutMs: number) => `the hook "beforeCall" did not answer within ${timeoutMs / 1000} s`,
  noDecision: "it did not answer with a decision",
  invalidEdit: (problem: string) => `the input that the hook "beforeCall" gave is not valid: ${problem}`,
  editedTwice: 'the hook "beforeCall" would change what the reviewer has edited',

  asks: (reason: string) => (reason === "" ? "a hook asks for approval" : `a hook asks for approval: ${reason}`),

  withheld: (reason: string) => `[the result is withheld by a hook${reason === "" ? "" : `: ${reason}`}]`,
  reviewFailed: (problem: string) => `[the result is withheld: the hook "beforeResult" failed: ${problem}]`,
  reviewExpired: (timeoutMs: number) =>
    `[the result is withheld: the hook "beforeResult" did not answer within ${timeoutMs / 1000} s]`,
} as const;
