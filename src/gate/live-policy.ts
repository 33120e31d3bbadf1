/*
 * A policy that is tightened while an engine is open holds from the next decision on, without anybody opening the engine anew.
 * Its files are looked at with one stat each, at most ten times a second, so that a burst of calls pays nothing. A change that
 * cannot be used (it is no policy any more, or it asks for another sandbox or other hidden paths than those that are open) denies everything until
 * it is put right: going on with what was there before could allow what somebody has just forbidden.
 */
import { lstatSync, statSync } from "node:fs";
import { canonicalJson } from "../schema/canonical-json.ts";
import { policyUnusable, SANDBOX_SETTINGS_CHANGED } from "../errors/messages/gate.ts";
import type { Policy } from "./policy.ts";

/** The policies that apply now, or why none can. */
export type PolicyState =
  { readonly status: "usable"; readonly policy: Policy } | { readonly status: "unusable"; readonly problem: string };

/** Where the policies come from. */
export interface LivePolicyOptions {
  readonly load: () => Promise<Policy>;
  /** The files whose change makes them be loaded again; they need not exist. */
  readonly files: readonly string[];
  /** Milliseconds that never go back. @default performance.now */
  readonly clock?: () => number;
}

/** All policies of an engine, read again when one of their files changes. */
export class LivePolicy {
  /** As they were when the engine was opened; its sandboxes are set up by them. */
  readonly first: Policy;
  readonly #options: LivePolicyOptions;
  #state: PolicyState;
  #seen: string;
  #lookedAtMs: number;
  #reloading: Promise<void> | undefined;

  private constructor(
    options: LivePolicyOptions,
    { policy, seen }: { readonly policy: Policy; readonly seen: string },
  ) {
    this.#options = options;
    this.first = policy;
    this.#state = { status: "usable", policy };
    this.#seen = seen;
    this.#lookedAtMs = this.#now();
  }

  /**
   * Loads the policies for the first time.
   * @throws ConfigurationError when one of them cannot be read or understood.
   */
  static async open(options: LivePolicyOptions): Promise<LivePolicy> {
    // Before they are read, so that a change meanwhile is seen.
    const seen = stampsOf(options.files);
    return new LivePolicy(options, { policy: await options.load(), seen });
  }

  get state(): PolicyState {
    return this.#state;
  }

  /** What the person who runs the engine should know of the policies as they are now. */
  get notices(): readonly string[] {
    return this.#state.status === "usable" ? this.#state.policy.notices : [policyUnusable(this.#state.problem)];
  }

  /** Reads what has changed. Nothing has to be waited for when nothing has. Never rejects. */
  refresh(): Promise<void> | undefined {
    const nowMs = this.#now();
    if (nowMs - this.#lookedAtMs < LOOK_EVERY_MS) return this.#reloading;
    this.#lookedAtMs = nowMs;
    const seen = stampsOf(this.#options.files);
    if (seen === this.#seen) return this.#reloading;
    this.#seen = seen;
    this.#reloading = this.#reload(this.#reloading);
    return this.#reloading;
  }

  async #reload(before: Promise<void> | undefined): Promise<void> {
    await before;
    try {
      const policy = await this.#options.load();
      this.#state = isSameSetting(policy, this.first)
        ? { status: "usable", policy }
        : { status: "unusable", problem: SANDBOX_SETTINGS_CHANGED };
    } catch (error) {
      this.#state = { status: "unusable", problem: error instanceof Error ? error.message : String(error) };
    }
  }

  #now(): number {
    return (this.#options.clock ?? (() => performance.now()))();
  }
}

/** What an open engine is set up by. */
function isSameSetting({ sandbox, workspace, hide }: Policy, first: Policy): boolean {
  return canonicalJson([sandbox, workspace, hide]) === canonicalJson([first.sandbox, first.workspace, first.hide]);
}

const LOOK_EVERY_MS = 100;

/** What tells one state of the files from another: a link in a file's place counts as well as what it leads to. */
function stampsOf(files: readonly string[]): string {
  return files.map((file) => `${stampOf(lstatSync, file)} ${stampOf(statSync, file)}`).join("\n");
}

function stampOf(stat: typeof statSync, file: string): string {
  try {
    const stats = stat(file, { bigint: true });
    return `${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
  } catch {
    // It is not there, or cannot be looked at; loading says which.
    return "-";
  }
}
