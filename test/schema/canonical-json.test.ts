import { assert, jsonValue, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../../src/errors/configuration-error.ts";
import { canonicalJson, sha256 } from "../../src/schema/canonical-json.ts";

describe("canonicalJson()", () => {
  it("sorts the keys of every object and keeps the order of lists", () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }, 1], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1},1]}');
  });

  it("gives one text for one value, which is read back as the value", () => {
    assert(
      property(jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it.each([[undefined], [() => 1], [Number.NaN], [1n], [{ a: Symbol("s") }]])("throws when given %s", (value) => {
    expect(() => canonicalJson(value)).toThrow(
      new ConfigurationError("Cannot write the canonical text of a value: it is no JSON; give a JSON value"),
    );
  });
});

describe("sha256()", () => {
  it("hashes the UTF-8 bytes of a text", () => {
    expect(sha256("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect(sha256("é")).toBe("4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c");
  });
});
