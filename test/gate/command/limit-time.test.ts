import { expect, it } from "vitest";
import { limitTime } from "../../../src/gate/command/limit-time.ts";

it("limitTime() ends what catches everything", () => {
  const analyse = limitTime(() => {
    for (;;) {
      try {
        for (;;);
      } catch {
        // On with it.
      }
    }
  });
  expect(analyse("a; b")).toEqual({ kind: "too-large", reason: "it takes too long to read" });
});
