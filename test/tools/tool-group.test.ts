import { describe, expect, it } from "vitest";
import { ToolDefinitionError } from "../../src/errors/tool-definition-error.ts";
import { BaseTool } from "../../src/tools/base-tool.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { ToolGroup } from "../../src/tools/tool-group.ts";

function tool(name: string) {
  return defineTool({ name, description: `The tool ${name}`, risk: "read", execute: () => name });
}

class Probe extends BaseTool {
  readonly name = "probe";
  readonly description = "Probes";
  execute() {
    return undefined;
  }
}

describe("ToolGroup", () => {
  it("has, gets, counts and iterates what it was given, in that order", () => {
    const [b, a] = [tool("b"), tool("a")];
    const group = new ToolGroup("letters", [b, a]);
    expect([group.name, group.size, group.has("a"), group.has("c")]).toEqual(["letters", 2, true, false]);
    expect([group.get("a"), group.get("toString")]).toEqual([a, undefined]);
    expect([...group]).toEqual([b, a]);
  });

  it("adds tools, groups and class-form tools", () => {
    const group = new ToolGroup("all").add(tool("a"), new ToolGroup("more", [tool("b")])).add(new Probe());
    expect([...group].map(({ name }) => name)).toEqual(["a", "b", "probe"]);
  });

  it("keeps what it has when a tool cannot be added", () => {
    const group = new ToolGroup("letters", [tool("a")]);
    const message =
      'Cannot register tool "a": two tools have this name (the read tool that says "The tool a" in the group "letters", and the read tool that says "The tool a"); rename one of them or leave it out';
    expect(() => group.add(tool("b"), tool("a"))).toThrow(new ToolDefinitionError(message));
    expect([...group].map(({ name }) => name)).toEqual(["a"]);
  });
});

describe("createRegistry() with groups", () => {
  it("takes groups and class-form tools as they are", () => {
    const registry = createRegistry([new ToolGroup("letters", [tool("b"), tool("a")]), new Probe(), tool("c")]);
    expect(registry.tools.map(({ name }) => name)).toEqual(["a", "b", "c", "probe"]);
  });

  it("counts one and the same tool once", () => {
    const a = tool("a");
    expect(createRegistry([a, new ToolGroup("letters", [a]), a]).tools).toEqual([a]);
  });

  it("names the tools and their sources when two have one name", () => {
    const message =
      'Cannot register tool "probe": two tools have this name (the read tool that says "The tool probe" in the group "letters", and the exec tool that says "Probes" in an object of Probe); rename one of them or leave it out';
    expect(() => createRegistry([new ToolGroup("letters", [tool("probe")]), new Probe()])).toThrow(
      new ToolDefinitionError(message),
    );
  });

  it.each([
    ["null", null],
    ["an object", { name: "x", execute: () => 1 }],
  ])("throws when a group holds %s", (found, value) => {
    const message = `Cannot register ${found} as a tool: it was not made by defineTool; define it with defineTool`;
    expect(() => createRegistry([{ toTools: () => [value as never] }])).toThrow(new ToolDefinitionError(message));
  });
});
