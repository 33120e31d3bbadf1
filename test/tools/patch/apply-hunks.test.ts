import { createTwoFilesPatch } from "diff";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyHunks } from "../../../src/tools/patch/apply-hunks.ts";
import { parsePatchText } from "../../../src/tools/patch/parse-patch.ts";
import { recountHunks } from "../../../src/tools/patch/recount-hunks.ts";

const texts = fc
  .tuple(fc.array(fc.constantFrom("a", "b", "", "-- a", "++ b", " c"), { maxLength: 12 }), fc.boolean(), fc.boolean())
  .map(([lines, hasEnd, isCrlf]) => {
    const text = lines.map((line) => `${line}\n`).join("");
    const cut = hasEnd ? text : text.slice(0, -1);
    return isCrlf ? cut.replaceAll("\n", "\r\n") : cut;
  });

function apply(before: string, patch: string) {
  const parsed = parsePatchText(patch);
  const file = parsed.ok ? parsed.files[0] : undefined;
  return file?.action === "update" ? applyHunks("f", before, file.hunks) : parsed;
}

describe("applyHunks()", () => {
  it("makes of any text the other when given the diff of the two", () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        fc.pre(before !== after && before !== "");
        const patch = createTwoFilesPatch("a/f", "b/f", before, after, "", "");
        expect(apply(before, patch)).toEqual({ ok: true, text: after, notes: [] });
      }),
      { numRuns: 1_000 },
    );
  });

  it("keeps every byte outside of the hunks when they were moved by lines above", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 9 }), (rest, moved) => {
        const above = Array.from({ length: moved }, (_, index) => `above ${index}\n`).join("");
        const patch = createTwoFilesPatch("a/f", "b/f", "x\ny\nz\n", "x\nY\nz\n", "", "");
        const applied = apply(`${above}x\ny\nz\n${rest}`, patch);
        expect(applied).toMatchObject({ ok: true, text: `${above}x\nY\nz\n${rest}` });
      }),
    );
  });
});

describe("recountHunks()", () => {
  it("gives a patch back as it is when its counts are right", () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        fc.pre(before !== after && !/^(?:--|\+\+)/m.test(before + after));
        const short = createTwoFilesPatch("a/f", "b/f", before, after, "", "");
        const patch = short.replaceAll(/(?<=^@@ .*[-+]\d+)(?= )/gm, ",1");
        expect(recountHunks(patch)).toBe(patch);
      }),
    );
  });
});
