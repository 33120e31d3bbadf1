import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeText } from "../../../src/cli/terminal/escape-text.ts";

describe("escapeText()", () => {
  it.each([
    ["a colour sequence", "\u001B[31mred", String.raw`\x1b[31mred`],
    ["an 8-bit control sequence", "\u009B2J", String.raw`\x9b2J`],
    ["a line break, a return and a tab", "a\nb\rc\td", String.raw`a\nb\rc\td`],
    ["a bidirectional override", "a\u202Eb", String.raw`a\u{202e}b`],
    ["a zero-width space and a joiner", "a\u200Bb\u200Dc", String.raw`a\u{200b}b\u{200d}c`],
    ["a tag character", "a\u{E0041}b", String.raw`a\u{e0041}b`],
    ["a variation selector that can carry data", "a\u{E0101}b", String.raw`a\u{e0101}b`],
    ["a line separator", "a\u2028b", String.raw`a\u{2028}b`],
    ["a lone surrogate", "a\uDC80b", String.raw`a\u{dc80}b`],
    ["DEL and NUL", "\u007F\0", String.raw`\x7f\x00`],
    ["plain text of any script", "naïve 日本語 😀 \\n", "naïve 日本語 😀 \\n"],
  ])("shows %s", (_what, text, shown) => {
    expect(escapeText(text)).toBe(shown);
  });

  it("keeps line breaks and tabs when told so, and nothing else", () => {
    expect(escapeText("a\n\tb\r\n", { keep: "lines" })).toBe("a\n\tb\\r\n");
    expect(escapeText("a\tb\n", { keep: "tabs" })).toBe(String.raw`a${"\t"}b\n`);
  });

  it("marks each escape", () => {
    expect(escapeText("a\u0007", { mark: (escape) => `<${escape}>` })).toBe(String.raw`a<\x07>`);
  });

  it("leaves no character that is a control, a format character or invisible, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(escapeText(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);
      }),
    );
  });
});
