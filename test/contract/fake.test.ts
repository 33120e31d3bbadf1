import { describe, expect, it } from "vitest";

import type { BackendCheck } from "../../src/testing/backend-contract/backend-check.ts";
import { backendContract, examineBackend } from "../../src/testing/backend-contract/backend-contract.ts";
import { fakeBackend } from "../../src/testing/fake-backend.ts";

const lasting = fakeBackend(() => new Promise(() => {}));
const { target } = await examineBackend(lasting);

describe("fakeBackend()", () => {
  it.each(titled(backendContract.filter(({ needs }) => needs.length === 0)))("%s", async (_name, check) => {
    await expect(check.run(target)).resolves.toBeUndefined();
  });
});

describe("backendContract", () => {
  it("has a name of its own for each of its checks", () => {
    const names = backendContract.map(({ name }) => name);
    expect([...new Set(names)]).toStrictEqual(names);
  });

  // Each would otherwise be a check that proves nothing.
  it.each(titled(backendContract.filter(({ needs }) => needs.length > 0)))(
    "fails a backend that does nothing: %s",
    async (_name, check) => {
      const idle = fakeBackend(() => ({}));
      const capabilities = { ...target.capabilities, commands: ["shell"], enforces: [] } as const;
      await expect(check.run({ ...target, backend: idle, capabilities })).rejects.toBeInstanceOf(Error);
    },
  );
});

/** A title that names the check in full; a placeholder would cut it short. */
function titled(checks: readonly BackendCheck[]): readonly (readonly [string, BackendCheck])[] {
  return checks.map((check) => [check.name, check]);
}
