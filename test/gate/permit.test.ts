import { describe, expect, it } from "vitest";
import { PermitError } from "../../src/errors/permit-error.ts";
import { Permit } from "../../src/gate/permit.ts";
import type { PermitSubject } from "../../src/gate/permit.ts";
import { deepFreeze } from "../../src/schema/deep-freeze.ts";

const subject: PermitSubject = {
  callId: "1",
  tool: "shell",
  schemaFingerprint: "f",
  input: deepFreeze({ command: "ls", options: { a: 1, b: [2] } }),
  root: "/repository",
  policyDigest: "p",
  backend: "docker",
};

describe("Permit.redeem()", () => {
  it("accepts the very call that it was given for, whatever order its keys are in", () => {
    const permit = new Permit(subject, 1_000);
    const reordered = { ...subject, input: deepFreeze({ options: { b: [2], a: 1 }, command: "ls" }) };
    expect(() => permit.redeem(reordered, 999)).not.toThrow();
  });

  it("throws when the permit has been used, also when the first use failed", () => {
    const used = new Permit(subject, 1_000);
    used.redeem(subject, 0);
    expect(() => used.redeem(subject, 0)).toThrow(
      new PermitError('Cannot run "shell": its permit has been used already'),
    );
    const failed = new Permit(subject, 1_000);
    expect(() => failed.redeem({ ...subject, input: deepFreeze({}) }, 0)).toThrow(PermitError);
    expect(() => failed.redeem(subject, 0)).toThrow('Cannot run "shell": its permit has been used already');
  });

  it("throws when the permit has expired", () => {
    expect(() => new Permit(subject, 1_000).redeem(subject, 1_000)).toThrow(
      new PermitError('Cannot run "shell": its permit has expired'),
    );
  });

  const changes: readonly Partial<PermitSubject>[] = [
    { callId: "2" },
    { tool: "shell2" },
    { schemaFingerprint: "g" },
    { input: deepFreeze({ command: "ls", options: { a: 1, b: [3] } }) },
    { root: "/other" },
    { policyDigest: "q" },
    { backend: "virtual" },
  ];
  it.each(changes)("throws when something else is run than was decided about: %j", (change) => {
    const other = { ...subject, ...change };
    expect(() => new Permit(subject, 1_000).redeem(other, 0)).toThrow(
      new PermitError(`Cannot run "${other.tool}": its permit was given for another call`),
    );
  });
});
