import { expect, test } from "vitest";

import { quotePath } from "../../../src/workspace/diff/quote-path.ts";

test.each([
  ["plain name/with space", "plain name/with space"],
  ["tab\t", String.raw`"tab\t"`],
  ["line\nfeed", String.raw`"line\nfeed"`],
  ['quote"and\\', String.raw`"quote\"and\\"`],
  ["\u0001\u007f", String.raw`"\001\177"`],
  ["gr\u00fcn", String.raw`"gr\303\274n"`],
  ["\u{dcff}", String.raw`"\377"`],
])("quotePath(%j) writes %s", (path, quoted) => {
  expect(quotePath(path)).toBe(quoted);
});
