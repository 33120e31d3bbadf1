import type { Verdict } from "./gate.ts";

/** What the policy says of one part of a command line. */
export interface PartExplanation extends Verdict {
  /** The part as it would run, in one line. */
  readonly part: string;
  /** A command, a variable that is set, a file that the shell opens, or something that cannot be told from the text. */
  readonly kind: "command" | "assignment" | "redirection" | "opaque";
  /** The constructs and wrappers that it stands in, from the outside. */
  readonly via: readonly string[];
  /** Its line in the command, from 1. */
  readonly line: number;
  /** What would have it allowed, when it is not. */
  readonly needed?: string;
}

/** What the policy says of a call, without running it. */
export interface PolicyExplanation extends Verdict {
  /** The parts of a command line, in the order that they were found in; none for other tools. */
  readonly parts: readonly PartExplanation[];
}
