import { describe, expect, it } from "vitest";

import type { SandboxBackend } from "../../src/contract/sandbox.ts";
import { examineBackend } from "../../src/testing/backend-contract/backend-contract.ts";

/** Makes a test of each check that a backend has to pass, and one of why others do not apply to it. */
export async function holdToContract(
  title: string,
  backend: SandboxBackend,
  { leavesOut }: { readonly leavesOut: readonly string[] },
): Promise<void> {
  const { target, applicable, excluded } = await examineBackend(backend);
  describe(`${title}: the contract of sandbox backends`, () => {
    it.each(applicable.map((check) => [check.name, check] as const))("%s", async (_name, check) => {
      await expect(check.run(target)).resolves.toBeUndefined();
    });

    it("is left out for these reasons and no others", () => {
      expect([...new Set(excluded.map(({ reason }) => reason))].toSorted()).toStrictEqual(leavesOut.toSorted());
    });
  });
}
