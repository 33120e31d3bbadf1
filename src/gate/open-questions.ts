import type { Answer } from "./ask-reviewer.ts";

/**
 * The questions that wait for an answer. Calls that ask the very same thing at the same time share one question, which goes
 * on for as long as one of them still waits.
 */
export class OpenQuestions {
  readonly #open = new Map<string, OpenQuestion>();

  /** Waits for the answer to the question named `key`, putting it with `ask` unless it waits already. */
  async ask(key: string, signal: AbortSignal, ask: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    if (signal.aborted) return { kind: "cancelled" };
    const { promise: left, resolve: leave } = Promise.withResolvers<Answer>();
    const cancel = (): void => leave({ kind: "cancelled" });
    // Before the question is put: asking runs a reviewer's code, which may cancel the call at once.
    signal.addEventListener("abort", cancel);
    const question = this.#open.get(key) ?? this.#put(key, ask);
    question.waiting += 1;
    try {
      return await Promise.race([question.answer, left]);
    } finally {
      signal.removeEventListener("abort", cancel);
      question.waiting -= 1;
      if (question.waiting === 0) question.nobodyWaits.abort();
    }
  }

  #put(key: string, ask: (signal: AbortSignal) => Promise<Answer>): OpenQuestion {
    const nobodyWaits = new AbortController();
    const question = { answer: ask(nobodyWaits.signal), nobodyWaits, waiting: 0 };
    const forget = (): void => {
      if (this.#open.get(key) === question) this.#open.delete(key);
    };
    this.#open.set(key, question);
    // Nobody joins a question that is over, or that is being taken back.
    nobodyWaits.signal.addEventListener("abort", forget);
    return question;
  }
}

interface OpenQuestion {
  readonly answer: Promise<Answer>;
  readonly nobodyWaits: AbortController;
  waiting: number;
}
