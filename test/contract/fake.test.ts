import { describe, expect, it } from "vitest";

import { backendContract, examineBackend } from "../../src/testing/backend-contract/backend-contract.ts";
import { fakeBackend } from "../../src/testing/fake-backend.ts";

const lasting = fakeBackend(() => new Promise(() => {}));
const { target } = await examineBackend(lasting);

describe("fakeBackend()", () => {
  it.each(backendContract.filter(({ needs }) => needs.length === 0))("$name", async (check) => {
    await expect(check.run(target)).resolves.toBeUndefined();
  });
});

describe("backendContract", () => {
  it("has a name of its own for each of its checks", () => {
    const names = backendContract.map(({ name }) => name);
    expect([...new Set(names)]).toStrictEqual(names);
  });

  // Each would otherwise be a check that proves nothing.
  it.each(backendContract.filter(({ needs }) => needs.length > 0))(
    "fails a backend that does nothing: $name",
    async (check) => {
      const idle = fakeBackend(() => ({}));
      const capabilities = { ...target.capabilities, commands: ["shell"], enforces: [] } as const;
      await expect(check.run({ ...target, backend: idle, capabilities })).rejects.toBeInstanceOf(Error);
    },
  );
});
