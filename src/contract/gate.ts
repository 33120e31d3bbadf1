import type { Risk } from "./risk.ts";
import type { NetworkAccess, SandboxLimits } from "./sandbox.ts";

/** What a rule says. Deny beats ask beats allow, wherever they stand. */
export type Effect = "allow" | "ask" | "deny";

/**
 * What is decided where no rule speaks. `plan`: reads only. `default`: reads and writes, exec asks. `acceptEdits`: the
 * same, said on purpose. `auto`: contained exec as well. `dontAsk`: as `default`, and every ask is a deny.
 */
export type PolicyMode = "plan" | "default" | "acceptEdits" | "auto" | "dontAsk";

/**
 * A rule: a selector (`risk:exec`, a tool name or a glob of one), perhaps with a matcher for the arguments behind it, as in
 * `shell(npm run test:*)`; alone or with the reason for it.
 */
export type PolicyRule =
  | string
  | {
      readonly rule: string;
      /** Why, for whoever is denied or asked. */
      readonly justification?: string;
      /** What the rule shall hold for; checked when it is read. */
      readonly match?: readonly string[];
      /** What it shall not hold for; checked when it is read. */
      readonly notMatch?: readonly string[];
    };

/** A policy, as written in a file or given to `createEngine`. */
export interface PolicyDefinition {
  readonly $schema?: string;
  /** @default "default" */
  readonly mode?: PolicyMode;
  /** Rules that ship: `stock` are those for everyday commands in a sandbox. @default none */
  readonly include?: readonly "stock"[];
  readonly allow?: readonly PolicyRule[];
  readonly ask?: readonly PolicyRule[];
  readonly deny?: readonly PolicyRule[];
  /** Paths that no tool and no command sees, as globs of a .gitignore file (without "!"), whatever their case. */
  readonly hide?: readonly string[];
  readonly workspace?: WorkspaceLimits;
  readonly sandbox?: SandboxSettings;
}

/** What the pending changes of a root may take in all. One call more is stopped, and keeps nothing. */
export interface WorkspaceLimits {
  /** Files, directories, symlinks and deletions. @default 1_000_000 */
  readonly maxFiles?: number;
  /** @default 16_384 */
  readonly maxMb?: number;
}

/** Where and how exec tools run. */
export interface SandboxSettings {
  /** @default "auto" */
  readonly backend?: string;
  /** Which hosts shell commands can reach. @default "none" */
  readonly network?: NetworkAccess;
  /** Image for backends that run images. @default "cofferdam-sandbox:latest" */
  readonly image?: string;
  readonly memoryMb?: SandboxLimits["memoryMb"];
  readonly pids?: SandboxLimits["pids"];
  readonly cpus?: SandboxLimits["cpus"];
  /** Wall time of one command. @default 120_000, at most 600_000 */
  readonly timeoutMs?: number;
}

/** Who or what decided, and why. */
export interface Verdict {
  readonly effect: Effect;
  /** One sentence for a person and for the model. */
  readonly reason: string;
  /** The rule that decided, when one did. */
  readonly rule?: { readonly text: string; readonly source: string; readonly line?: number };
}

/** What a tool itself says of a call. It can only tighten what the policy says; `allow` adds nothing to it. */
export type ToolVerdict = "allow" | { readonly effect: Exclude<Effect, "allow">; readonly reason: string };

/**
 * Who allowed or denied a call. `tool`: its own `authorize`. `restriction`: one of `engine.restrict`. `expiry`: nobody
 * answered in time; `nobody`: there was no reviewer to ask; `reviewer` and `hook` also when they failed.
 */
export type Decider = "policy" | "reviewer" | "expiry" | "nobody" | "hook" | "tool" | "restriction";

/** What a reviewer decides on; plain data. */
export interface ApprovalQuestion {
  readonly callId: string;
  readonly tool: string;
  /** The call whose tool made this one, when a tool did. */
  readonly parentCallId?: string;
  readonly risk: Risk;
  /** The validated input, defaults filled in: exactly what will run. */
  readonly input: unknown;
  /** What the call would do, in words, when the tool can say. */
  readonly description: string;
  /** Why it is asked. */
  readonly reason: string;
  /** Where an exec tool would run. */
  readonly backend?: string;
  readonly timeoutMs: number;
  /** What an approval may be remembered for; absent when this is asked each time. */
  readonly reach?: ApprovalReach;
}

/** What a reviewer is asked. */
export interface ApprovalRequest extends ApprovalQuestion {
  /** Aborted when the answer no longer matters. */
  readonly signal: AbortSignal;
  /** Puts the question where `cofferdam approvals` and `engine.approvals` of any process answer it, and waits for that. */
  readonly enqueue: () => Promise<ReviewDecision>;
}

/** What an approval allows without asking when it is remembered, in sentences for whoever decides that. */
export interface ApprovalReach {
  /** Until the engine is closed. */
  readonly session: string;
  /** For good, as an allow rule in the user's policy; absent where no rule would be narrow enough, or none would help. */
  readonly always?: { readonly rule: string; readonly description: string };
}

/** A reviewer's answer. */
export type ReviewDecision =
  /** Run it; `remember` allows what the request's `reach` says from then on, and denies where it says nothing. */
  | { readonly decision: "approve"; readonly remember?: "session" | "always" }
  | { readonly decision: "deny"; readonly reason?: string }
  /** Run it with this input instead; it is validated and judged again. */
  | { readonly decision: "edit"; readonly input: unknown }
  /** Deny it, and cancel every other call of its batch: none of them has begun. */
  | { readonly decision: "stop"; readonly reason?: string }
  /** Leave it to the next reviewer of `escalate()`; where there is none it is denied. */
  | { readonly decision: "escalate" };

/** Answers what the policy leaves open. Throwing, or not answering in time, denies. */
export type Reviewer = (request: ApprovalRequest) => Promise<ReviewDecision> | ReviewDecision;
