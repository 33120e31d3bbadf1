import { describe, expect, it } from "vitest";
import { copyBounded, copyText } from "../../src/journal/bounded-copy.ts";

describe("copyBounded()", () => {
  it("copies what is small as it is", () => {
    const input = { path: "a", lines: [1, 2.5], all: true, none: null, "": { deep: ["x"] } };
    const copied = copyBounded(input);
    expect(copied).toEqual(input);
    expect(copied).not.toBe(input);
  });

  it("leaves out what is too much, too deep or goes in a circle", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    expect(copyBounded(circle)).toEqual({ self: { self: { self: { self: { self: { self: "…" } } } } } });
    const list = copyBounded(Array.from({ length: 1_000 }, (_, n) => n)) as unknown[];
    expect(list).toHaveLength(80);
    expect(list.at(-1)).toBe("…");
    const fields = copyBounded(Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`k${n}`, n]))) as object;
    expect(Object.keys(fields)).toHaveLength(80);
    expect(Object.keys(copyBounded({ ["k".repeat(100)]: 1 }) as object)).toEqual([`${"k".repeat(64)}…`]);
  });

  it("says what is no JSON", () => {
    const input = { big: 12n, call: () => undefined, mark: Symbol("x"), bytes: new Uint8Array(3) };
    expect(copyBounded(input)).toEqual({ big: "12n", call: "(function)", mark: "(symbol)", bytes: "(3 bytes)" });
  });

  it("does not throw when the value does", () => {
    const hostile = {
      get trap(): never {
        throw new Error("trapped");
      },
    };
    expect(copyBounded(hostile)).toBe("(unreadable)");
  });
});

describe("copyText()", () => {
  it("keeps a short text, and whole words of a long one", () => {
    expect(copyText("short")).toBe("short");
    expect(copyText(`${"word ".repeat(203)}${"x".repeat(500)}`)).toBe(`${"word ".repeat(203)}…`);
  });

  it("keeps most of a single long word", () => {
    expect(copyText("x".repeat(5_000))).toBe(`${"x".repeat(768)}…`);
  });
});
