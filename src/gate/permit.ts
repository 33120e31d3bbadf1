import { PermitError } from "../errors/permit-error.ts";
import { permitRefused } from "../errors/messages/gate.ts";
import { canonicalJson } from "../schema/canonical-json.ts";
import type { DeeplyFrozen } from "../schema/deep-freeze.ts";

/** Everything that a permit is given for. Any difference between decision and run voids it. */
export interface PermitSubject {
  readonly callId: string;
  readonly tool: string;
  readonly schemaFingerprint: string;
  /** Frozen, so that what was decided about is still there to compare with. */
  readonly input: DeeplyFrozen;
  readonly root: string;
  readonly policyDigest: string;
  /** The backend that was asked for, for an exec tool. */
  readonly backend?: string;
}

/** The right to run one call once. Only the gate makes one, and nothing runs without. */
export class Permit {
  readonly expiresAtMs: number;
  readonly #subject: PermitSubject;
  #used = false;

  constructor(subject: PermitSubject, expiresAtMs: number) {
    this.#subject = subject;
    this.expiresAtMs = expiresAtMs;
  }

  /** The policy under which it was given. */
  get policyDigest(): string {
    return this.#subject.policyDigest;
  }

  /**
   * Uses the permit up for this very call.
   * @throws PermitError when it was used before, has expired, or was given for something else.
   */
  redeem(subject: PermitSubject, nowMs: number): void {
    if (this.#used) throw new PermitError(permitRefused(subject.tool, "used"));
    this.#used = true;
    if (nowMs >= this.expiresAtMs) throw new PermitError(permitRefused(subject.tool, "expired"));
    if (!isSame(this.#subject, subject)) throw new PermitError(permitRefused(subject.tool, "other call"));
  }
}

/** One frozen input is the same as itself without being written out, which is the dearest part of a short call. */
function isSame(decided: PermitSubject, run: PermitSubject): boolean {
  return (
    FACTS.every((fact) => decided[fact] === run[fact]) &&
    (decided.input === run.input || canonicalJson(decided.input) === canonicalJson(run.input))
  );
}

type Fact = Exclude<keyof PermitSubject, "input">;

// Every fact has to be named here, or it does not compile.
const FACTS = Object.keys({
  callId: true,
  tool: true,
  schemaFingerprint: true,
  root: true,
  policyDigest: true,
  backend: true,
} satisfies Readonly<Record<Fact, true>>) as readonly Fact[];
