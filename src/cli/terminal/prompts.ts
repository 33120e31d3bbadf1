/** Asks the person at the terminal. Every answer is `undefined` when the person leaves the prompt or `signal` aborts it. */
export interface Prompts {
  choose<Value extends string>(question: ChoiceQuestion<Value>): Promise<Value | undefined>;
  askText(question: TextQuestion): Promise<string | undefined>;
}

/** One of a few answers. The text of a question is ours: nothing in it comes from a tool or a file. */
export interface ChoiceQuestion<Value extends string> {
  readonly message: string;
  readonly choices: readonly { readonly value: Value; readonly label: string; readonly hint?: string }[];
  /** What Enter means: the answer that changes nothing. */
  readonly initial: Value;
  readonly signal?: AbortSignal;
}

/** A line of text. */
interface TextQuestion {
  readonly message: string;
  readonly initial?: string;
  /** Says what is wrong with an answer. */
  readonly validate?: (text: string) => string | undefined;
  readonly signal?: AbortSignal;
}
