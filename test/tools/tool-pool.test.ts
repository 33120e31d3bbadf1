import { describe, expect, it } from "vitest";
import type { Tool } from "../../src/contract/tool.ts";
import { ToolDefinitionError } from "../../src/errors/tool-definition-error.ts";
import { toolsOfTier, toolsWithCapabilities } from "../../src/tools/choose-tools.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { ToolGroup } from "../../src/tools/tool-group.ts";
import { assembleToolPool } from "../../src/tools/tool-pool.ts";

function tool(name: string, options: Partial<Pick<Tool, "description" | "tier" | "capabilities">> = {}) {
  return defineTool({ name, description: `The tool ${name}`, risk: "read", execute: () => name, ...options });
}

const names = (tools: readonly Tool[]) => tools.map(({ name }) => name);

describe("assembleToolPool()", () => {
  it("lets custom tools override base tools, and those of a server override both, sorted by name", () => {
    const pool = assembleToolPool({
      base: [tool("read", { description: "base" }), tool("write", { description: "base" }), tool("bash")],
      custom: [
        new ToolGroup("mine", [tool("write", { description: "custom" }), tool("read", { description: "custom" })]),
      ],
      mcp: [tool("read", { description: "mcp" })],
    });
    expect(pool.map(({ name, description }) => `${name}: ${description}`)).toEqual([
      "bash: The tool bash",
      "read: mcp",
      "write: custom",
    ]);
  });

  const base = [tool("Read"), tool("Write"), tool("Bash")];
  it.each<[string, { allowed?: string[]; disallowed?: string[] }, string[]]>([
    ["keeps all without lists", {}, ["Bash", "Read", "Write"]],
    ["keeps all when the lists are empty", { allowed: [], disallowed: [] }, ["Bash", "Read", "Write"]],
    ["keeps what is allowed, whatever the case", { allowed: ["READ", "write", "none"] }, ["Read", "Write"]],
    ["leaves out what is disallowed, whatever the case", { disallowed: ["bash"] }, ["Read", "Write"]],
    ["leaves out what is both", { allowed: ["Read", "Bash"], disallowed: ["BASH"] }, ["Read"]],
  ])("%s", (_title, lists, kept) => {
    expect(names(assembleToolPool({ base, ...lists }))).toEqual(kept);
  });

  it("throws when one source has two tools of one name", () => {
    const message =
      'Cannot register tool "a": two tools have this name (the read tool that says "The tool a", and the read tool that says "second"); rename one of them or leave it out';
    expect(() => assembleToolPool({ custom: [tool("a"), tool("a", { description: "second" })] })).toThrow(
      new ToolDefinitionError(message),
    );
  });
});

describe("toolsOfTier()", () => {
  it("gives the tools of the tier, groups opened", () => {
    const tools = [
      tool("b"),
      new ToolGroup("more", [tool("a", { tier: "specialist" })]),
      tool("c", { tier: "advanced" }),
    ];
    expect([names(toolsOfTier(tools, "core")), names(toolsOfTier(tools, "specialist"))]).toEqual([["b"], ["a"]]);
  });
});

describe("toolsWithCapabilities()", () => {
  const tools = [
    tool("mail", { capabilities: ["network", "send"] }),
    tool("fetch", { capabilities: ["network"] }),
    tool("add"),
  ];

  it.each([
    ["all", { all: ["network", "send"] }, ["mail"]],
    ["any", { any: ["send", "network"] }, ["mail", "fetch"]],
    ["any of none", { any: [] }, []],
    ["none", { none: ["network"] }, ["add"]],
    ["all and none", { all: ["network"], none: ["send"] }, ["fetch"]],
    ["nothing", {}, ["mail", "fetch", "add"]],
  ])("filters by %s", (_title, filter, kept) => {
    expect(names(toolsWithCapabilities(tools, filter))).toEqual(kept);
  });
});
