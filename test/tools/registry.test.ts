import { describe, expect, it } from "vitest";
import type { Tool } from "../../src/contract/tool.ts";
import { ToolDefinitionError } from "../../src/errors/tool-definition-error.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { createRegistry } from "../../src/tools/registry.ts";

function tool(name: string, description = `The tool ${name}`): Tool {
  return defineTool({ name, description, risk: "read", execute: () => name });
}

describe("createRegistry()", () => {
  it("sorts the tools by name whatever order they come in", () => {
    const [b, a, upper] = [tool("b"), tool("a"), tool("B")];
    expect(createRegistry([b, a, upper]).tools).toEqual([upper, a, b]);
    expect(createRegistry([upper, b, a]).tools).toEqual([upper, a, b]);
  });

  it("finds a tool with a validator of its input, and nothing for another name", () => {
    const probe = tool("probe");
    const registry = createRegistry([probe]);
    expect(registry.find("probe")?.tool).toBe(probe);
    expect(registry.find("probe")?.validator.schema).toBe(probe.parameters);
    expect(registry.find("probe")?.validator.check({ a: 1 })).toEqual({
      valid: false,
      message: "(input error: a is not a known argument)",
      problems: ["a is not a known argument"],
    });
    expect(registry.find("constructor")).toBeUndefined();
    expect(registry.find("__proto__")).toBeUndefined();
  });

  it.each<[string, readonly string[]]>([
    ["red_file", ["read_file", "edit_file", "write_file"]],
    ["ReadFile", ["read_file", "edit_file", "write_file"]],
    ["file", ["edit_file", "read_file", "write_file"]],
    ["shell_command", ["shell"]],
    ["zzz", []],
    ["x".repeat(1_000_000), []],
  ])("suggests the nearest names for %j", (name, suggestions) => {
    const registry = createRegistry(
      ["read_file", "write_file", "edit_file", "shell", "glob"].map((each) => tool(each)),
    );
    expect(registry.suggest(name)).toEqual(suggestions);
  });

  it("throws when two tools have one name, naming both", () => {
    expect(() => createRegistry([tool("same", "First\nmore"), tool("other"), tool("same", "S".repeat(70))])).toThrow(
      new ToolDefinitionError(
        `Cannot register tool "same": two tools have this name (the read tool that says "First", and the read tool that says "${"S".repeat(60)}…"); rename one of them or leave it out`,
      ),
    );
  });

  it.each<[unknown, string]>([
    [undefined, "undefined"],
    [{ name: "x", description: "x", risk: "none", timeoutMs: 1, execute: () => "" }, "an object"],
    [{ name: "x", description: "x", risk: "read", timeoutMs: 1 }, "an object"],
  ])("throws when given %j, which is no tool", (value, found) => {
    expect(() => createRegistry([value as Tool])).toThrow(
      new ToolDefinitionError(
        `Cannot register ${found} as a tool: it was not made by defineTool; define it with defineTool`,
      ),
    );
  });
});
