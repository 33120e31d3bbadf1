import { describe, expect, it } from "vitest";
import type { EngineOptions } from "../../src/contract/engine.ts";
import type { Tool } from "../../src/contract/tool.ts";
import { ConfigurationError } from "../../src/errors/configuration-error.ts";
import { coreTools } from "../../src/tools/core-tools.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { createToolbox } from "../../src/tools/toolbox.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";

function tool(name: string) {
  return defineTool({ name, description: `The tool ${name}`, risk: "read", execute: () => `ran ${name}` });
}

const names = (tools: readonly Tool[]) => tools.map(({ name }) => name);
const own = tool("own");
const extra = ["alpha", "beta", "gamma"].map(tool);

describe("createToolbox() with allowedTools", () => {
  it("shows and finds what is allowed, whatever the case, and the engine's own tools", () => {
    const { registry, offered } = createToolbox({ sources: extra, ownTools: [own], allowedTools: ["BETA"] });
    expect([names(registry.tools), names(offered())]).toEqual([
      ["beta", "own"],
      ["beta", "own"],
    ]);
    expect(["alpha", "Beta", "own"].map(registry.isAllowed)).toEqual([false, true, true]);
    expect(registry.suggest("alphas")).toEqual([]);
  });

  it("allows nothing but the engine's own tools when the list is empty", () => {
    expect(names(createToolbox({ sources: extra, ownTools: [own], allowedTools: [] }).registry.tools)).toEqual(["own"]);
  });

  it.each([
    ["alph", 'Cannot use "allowedTools": there is no tool "alph"; did you mean "alpha"?'],
    ["zzzzzzzzzzz", 'Cannot use "allowedTools": there is no tool "zzzzzzzzzzz"; list names of this engine\'s tools'],
  ])("throws when %j is on the list", (name, message) => {
    expect(() => createToolbox({ sources: extra, allowedTools: [name] })).toThrow(new ConfigurationError(message));
  });

  it("refuses a call of a tool that is not allowed, before anybody is asked", async () => {
    const asked: string[] = [];
    const options: Partial<EngineOptions> = {
      tools: extra,
      allowedTools: ["alpha"],
      policy: { ask: ["*"] },
      reviewer: (request) => {
        asked.push(request.tool);
        return { decision: "approve" };
      },
    };
    await using temporary = await temporaryEngine(options);
    const [ran, refused] = await temporary.engine.dispatchAll([
      { id: "1", name: "alpha", input: {} },
      { id: "2", name: "beta", input: {} },
    ]);
    expect([ran?.output, asked]).toEqual(["ran alpha", ["alpha"]]);
    expect(refused).toMatchObject({
      callId: "2",
      success: false,
      errorKind: "denied",
      attempts: 0,
      error: 'Cannot run tool "beta": it is not among the tools that are allowed here; use one of those',
    });
  });
});

describe("createToolbox() with many tools", () => {
  const sources = [...coreTools(), ...extra];
  const above = coreTools().length;

  it("shows all tools up to the threshold", () => {
    const { registry, offered } = createToolbox({ sources, toolSearch: { above: sources.length } });
    expect(offered()).toEqual(registry.tools);
    expect(registry.find("tool_search")).toBeUndefined();
  });

  it("shows the core tools, the engine's own and tool_search above it", () => {
    const { registry, offered } = createToolbox({ sources, ownTools: [own], toolSearch: { above } });
    expect(names(offered())).toEqual([...names(coreTools()), "own", "tool_search"].toSorted());
    expect(names(registry.tools)).toEqual([...names(sources), "own", "tool_search"].toSorted());
  });

  it("shows instead those that are listed", () => {
    const { offered } = createToolbox({ sources, toolSearch: { above: 1, always: ["Beta"] } });
    expect(names(offered())).toEqual(["beta", "tool_search"]);
  });

  it("needs no search when nothing is left to find", () => {
    const { registry } = createToolbox({ sources: extra, toolSearch: { above: 1, always: names(extra) } });
    expect(registry.find("tool_search")).toBeUndefined();
  });

  it("starts above 30 tools when nothing is said", () => {
    const many = Array.from({ length: 31 }, (_, index) => tool(`tool_${index}`));
    expect(names(createToolbox({ sources: many }).offered())).toEqual(["tool_search"]);
    expect(createToolbox({ sources: many.slice(1) }).offered()).toHaveLength(30);
  });

  it.each([0, 1.5, Number.NaN])("throws when the threshold is %d", (wrong) => {
    const message = `Cannot use "toolSearch.above": it is ${wrong}; use a whole number from 1 on, or leave it out`;
    expect(() => createToolbox({ sources, toolSearch: { above: wrong } })).toThrow(new ConfigurationError(message));
  });

  it("offers what was found from then on, and finds nothing that is not allowed", async () => {
    const options = { tools: extra, allowedTools: ["alpha", "beta"], toolSearch: { above: 1, always: [] } };
    await using temporary = await temporaryEngine(options);
    const { engine } = temporary;
    expect(names(engine.offeredTools)).not.toContain("alpha");
    const query = "select:alpha,gamma";
    const result = await engine.dispatch({ id: "1", name: "tool_search", input: { query } });
    expect(result.output.split("\n\n")).toEqual([
      expect.stringMatching(/^alpha: The tool alpha\n/),
      expect.stringMatching(/^There is no tool "gamma"; /),
    ]);
    expect(names(engine.offeredTools)).toContain("alpha");
    expect(names(engine.offeredTools)).not.toContain("beta");
  });

  it("calls a tool that was not found as well, for showing is no right", async () => {
    await using temporary = await temporaryEngine({ tools: extra, toolSearch: { above: 1, always: [] } });
    const result = await temporary.engine.dispatch({ id: "1", name: "gamma", input: {} });
    expect(result.output).toBe("ran gamma");
  });
});
