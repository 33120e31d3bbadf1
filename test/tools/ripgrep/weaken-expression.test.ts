import { describe, expect, it } from "vitest";
import { weakenExpression } from "../../../src/tools/ripgrep/weaken-expression.ts";

const SOME = "(?-u:[^\\n]{1,4})";

function weaken(expression: string): string | undefined {
  return weakenExpression(expression, { ignoreCase: false })?.source;
}

describe("weakenExpression()", () => {
  it.each([
    ["foo_1", "foo_1"],
    ["a.b", `a${SOME}b`],
    ["^import .* from", `(?:)import\\x20${SOME}*\\x20from`],
    ["\\bfoo\\(", "(?:)foo\\x28"],
    ["(?P<name>a|b)+?c", "(?:a|b)+c"],
    ["\\d{2,3}\\s\\w", "[0-9]{2,3}[\\t\\f\\r ][0-9A-Za-z_]"],
    ["\\D\\S\\W\\pL\\p{Greek}\\x41\\x{1F600}", SOME.repeat(7)],
    ["[a-zA-Z_]x[^a]x[\\]a]x[[:alpha:]]x[\\]]", `[a-zA-Z_]x${SOME}x${SOME}x${SOME}x${SOME}`],
    ["x{,2}{", "x\\x7b\\x2c2\\x7d\\x7b"],
    ["é\ufffd\t", `é${SOME}${SOME}`],
    ["\\/\\.&&~", "\\x2f\\x2e\\x26\\x26\\x7e"],
  ])("keeps what ripgrep reads alike in %j, and takes the rest for any character", (expression, source) => {
    expect(weaken(expression)).toBe(source);
  });

  it.each(["\\Qa.b\\E", "a(?i:b)", "(?-i)b", "a*", "^", "x|", "(?:)"])("gives up on %j", (expression) => {
    expect(weaken(expression)).toBeUndefined();
  });

  it("takes characters beyond ASCII for any when case does not count", () => {
    expect(weakenExpression("(?i)kÉ", { ignoreCase: false })).toEqual({ source: `k${SOME}`, ignoreCase: true });
    expect(weakenExpression("kÉ", { ignoreCase: true })).toEqual({ source: `k${SOME}`, ignoreCase: true });
  });
});
