import type { PolicyDefinition } from "./gate.ts";
import type { PolicyExplanation } from "./policy-explanation.ts";
import type { ToolCall } from "./tool-call.ts";

/** The policy file in the root, as it is now. */
export interface RootPolicy {
  readonly text: string;
  /** SHA-256 of the text. */
  readonly digest: string;
  readonly definition: PolicyDefinition;
  /** Whether this very content is trusted; otherwise it can only tighten. */
  readonly isTrusted: boolean;
}

/** The policies that apply, to look at; and the file in the root, to trust. */
export interface PolicyReview {
  /**
   * Says what the policies say of a call, and of each part of a command line, without running or asking anything. What a
   * tool's own `authorize` says is not part of it.
   * @throws ConfigurationError when there is no such tool.
   */
  explain(call: ToolCall): Promise<PolicyExplanation>;
  /**
   * The file, or nothing when there is none.
   * @throws ConfigurationError when it is no policy.
   */
  rootPolicy(): Promise<RootPolicy | undefined>;
  /**
   * Lets the content with this digest loosen the policy as the user's own file can. Any change to the file ends that.
   * @throws ConfigurationError when the file holds something else by now.
   */
  trust(digest: string): Promise<void>;
  /** Trusts no content of the file. */
  distrust(): Promise<void>;
}
