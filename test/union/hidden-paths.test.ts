import { array, assert, constantFrom, property } from "fast-check";
import { expect, test } from "vitest";

import { createHiddenPaths } from "../../src/union/hidden-paths.ts";

test.each([
  [".env*", [".env", ".env.local", "packages/api/.ENV", ".env/inside/file"], ["env", "a.env"]],
  ["**/*.pem", ["key.pem", "a/b/key.PEM"], ["key.pem.txt"]],
  ["/secrets", ["secrets", "secrets/a", "secrets/a/b"], ["a/secrets"]],
  ["./config/keys/", ["config/keys", "config/keys/a"], ["config", "keys", "a/config/keys"]],
  ["config/**", ["config/a", "config/a/b"], ["config"]],
  ["\\!odd", ["!odd"], ["odd"]],
  ["[a-c].key", ["a.key", "B.key"], ["d.key"]],
] as const)("createHiddenPaths() judges paths by %j", (pattern, hidden, shown) => {
  const paths = createHiddenPaths([pattern]);
  expect(hidden.filter((path) => !paths.hides(path))).toEqual([]);
  expect(shown.filter((path) => paths.hides(path))).toEqual([]);
});

test("createHiddenPaths() hides all below what it hides and never the root", () => {
  const part = constantFrom("a", ".env", "B", "secrets");
  assert(
    property(array(part, { minLength: 1, maxLength: 5 }), array(part, { maxLength: 3 }), (parts, more) => {
      const paths = createHiddenPaths([".env", "a/secrets"]);
      const [above, below] = [parts.join("/"), [...parts, ...more].join("/")].map((path) => paths.hides(path));
      expect([paths.hides(""), above === true && below !== true]).toEqual([false, false]);
    }),
  );
});

test.each(["", "/", "!kept", "# note", "[z-a"])(
  "createHiddenPaths() refuses %j, which would hide nothing",
  (pattern) => {
    expect(() => createHiddenPaths([pattern])).toThrow(
      `Cannot hide "${pattern}": it is no pattern that names paths; write a glob as in .gitignore, without "!" and "#" at its start`,
    );
  },
);
