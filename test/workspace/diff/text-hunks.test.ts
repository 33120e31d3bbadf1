import { expect, test } from "vitest";

import { renderHunks } from "../../../src/workspace/diff/text-hunks.ts";

test("renderHunks() is empty when the texts are the same", () => {
  expect(renderHunks("a\n", "a\n")).toBe("");
});

test("renderHunks() replaces what lies between the common beginning and end when the texts differ too much", () => {
  const old = Array.from({ length: 20_000 }, (_, line) => `old ${line}\n`);
  const current = Array.from({ length: 20_000 }, (_, line) => `new ${line}\n`);
  const before = ["1\n", "2\n", "3\n", "4\n", ...old, "5\n", "6\n", "7\n", "8"].join("");
  const after = ["1\n", "2\n", "3\n", "4\n", ...current, "5\n", "6\n", "7\n", "8"].join("");

  const started = performance.now();
  const hunks = renderHunks(before, after);
  expect(performance.now() - started).toBeLessThan(10_000);
  expect(hunks).toBe(
    [
      "@@ -2,20006 +2,20006 @@\n",
      " 2\n 3\n 4\n",
      ...old.map((line) => `-${line}`),
      ...current.map((line) => `+${line}`),
      " 5\n 6\n 7\n",
    ].join(""),
  );
});
