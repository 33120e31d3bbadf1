import { PermitError } from "../errors/permit-error.ts";
import { permitRefused } from "../errors/messages/gate.ts";
import { canonicalJson, sha256 } from "../schema/canonical-json.ts";

/** Everything that a permit is given for. Any difference between decision and run voids it. */
export interface PermitSubject {
  readonly callId: string;
  readonly tool: string;
  readonly schemaFingerprint: string;
  readonly input: unknown;
  readonly root: string;
  readonly policyDigest: string;
  /** The backend that was asked for, for an exec tool. */
  readonly backend?: string;
}

/** The right to run one call once. Only the gate makes one, and nothing runs without. */
export class Permit {
  readonly digest: string;
  readonly expiresAtMs: number;
  #used = false;

  constructor(subject: PermitSubject, expiresAtMs: number) {
    this.digest = digestOf(subject);
    this.expiresAtMs = expiresAtMs;
  }

  /**
   * Uses the permit up for this very call.
   * @throws PermitError when it was used before, has expired, or was given for something else.
   */
  redeem(subject: PermitSubject, nowMs: number): void {
    if (this.#used) throw new PermitError(permitRefused(subject.tool, "used"));
    this.#used = true;
    if (nowMs >= this.expiresAtMs) throw new PermitError(permitRefused(subject.tool, "expired"));
    if (digestOf(subject) !== this.digest) throw new PermitError(permitRefused(subject.tool, "other call"));
  }
}

function digestOf(subject: PermitSubject): string {
  return sha256(canonicalJson(subject));
}
