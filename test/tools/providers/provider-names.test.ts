import { assert, constantFrom, property, string, uniqueArray } from "fast-check";
import { describe, expect, it } from "vitest";
import { ToolDefinitionError } from "../../../src/errors/tool-definition-error.ts";
import type { Provider } from "../../../src/tools/providers/provider.ts";
import { mapToolNames } from "../../../src/tools/providers/provider-names.ts";

const ACCEPTED: Readonly<Record<Provider, RegExp>> = {
  anthropic: /^[a-zA-Z0-9_-]{1,64}$/,
  openai: /^[a-zA-Z0-9_-]{1,64}$/,
  "openai-responses": /^[a-zA-Z0-9_-]{1,64}$/,
  gemini: /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/,
  mcp: /^[a-zA-Z0-9._-]{1,128}$/,
};

describe("mapToolNames()", () => {
  it("keeps a name that the provider takes", () => {
    expect(mapToolNames([{ name: "read_file" }], "gemini").toProvider("read_file")).toBe("read_file");
    expect(mapToolNames([{ name: "a.b" }], "mcp").toProvider("a.b")).toBe("a.b");
  });

  it("rewrites other names the same way each time", () => {
    expect(mapToolNames([{ name: "a.b" }], "openai").toProvider("a.b")).toBe("a_b_2e7336dc");
    expect(mapToolNames([{ name: "2nd" }], "gemini").toProvider("2nd")).toMatch(/^_2nd_[0-9a-f]{8}$/);
    expect(mapToolNames([], "anthropic").toProvider("x".repeat(65))).toMatch(/^x{54}_[0-9a-f]{8}$/);
  });

  it("gives back a name that it does not know", () => {
    expect(mapToolNames([{ name: "a" }], "mcp").fromProvider("b")).toBe("b");
  });

  it("gives every tool an accepted name of its own, and finds the way back", () => {
    const names = uniqueArray(string({ minLength: 1, maxLength: 140, unit: "grapheme" }), { maxLength: 12 });
    const providers = constantFrom<Provider>("anthropic", "openai", "openai-responses", "gemini", "mcp");
    assert(
      property(names, providers, (list, provider) => {
        const map = mapToolNames(
          list.map((name) => ({ name })),
          provider,
        );
        const given = list.map((name) => map.toProvider(name));
        for (const name of given) expect(name).toMatch(ACCEPTED[provider]);
        expect(given.map((name) => map.fromProvider(name))).toEqual(list);
      }),
    );
  });

  it("throws when a name that is rewritten meets another one", () => {
    expect(() => mapToolNames([{ name: "a.b" }, { name: "a_b_2e7336dc" }], "openai")).toThrow(
      new ToolDefinitionError(
        'Cannot name the tools for a provider: "a.b" and "a_b_2e7336dc" both become "a_b_2e7336dc"; rename one of them or leave it out',
      ),
    );
  });

  it("throws when two tools have the same name", () => {
    expect(() => mapToolNames([{ name: "a" }, { name: "a" }], "openai")).toThrow(
      new ToolDefinitionError(
        'Cannot name the tools for a provider: two tools have the name "a"; rename one of them or leave it out',
      ),
    );
  });
});
