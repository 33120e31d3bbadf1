import { describe, expect, it } from "vitest";
import { ToolDefinitionError } from "../../src/errors/tool-definition-error.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { ToolGroup } from "../../src/tools/tool-group.ts";
import { toolsOf } from "../../src/tools/tools-of.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";

function tool(name: string, execute: () => unknown = () => name) {
  return defineTool({ name, description: `The tool ${name}`, risk: "read", execute });
}

class Base {
  get inherited() {
    return tool("inherited");
  }
}

class Counter extends Base {
  readonly #hidden = tool("hidden");
  #count = 0;
  readonly label = "no tool";
  readonly increase = tool("increase", () => (this.#count += 1));
  readonly group = new ToolGroup("more", [tool("grouped")]);

  get current() {
    return tool("current", () => this.#count);
  }

  make() {
    return this.#hidden;
  }
}

describe("toolsOf()", () => {
  it("collects the tools of public fields and getters, inherited ones among them", () => {
    expect(toolsOf(new Counter()).map(({ name }) => name)).toEqual(["increase", "grouped", "current", "inherited"]);
  });

  it("lets tools share state through the object", async () => {
    await using temporary = await temporaryEngine({ tools: toolsOf(new Counter()) });
    const call = async (name: string) => (await temporary.engine.dispatch({ id: name, name, input: {} })).output;
    expect([await call("increase"), await call("increase"), await call("current")]).toEqual(["1", "2", "2"]);
  });

  it("takes plain objects too", () => {
    const one = tool("one");
    expect(toolsOf({ one, settings: { root: "." } })).toEqual([one]);
  });

  it("throws when two fields hold tools of one name, naming both", () => {
    const message =
      'Cannot register tool "same": two tools have this name (one in "first", and one in "second"); rename one of them or leave it out';
    expect(() => toolsOf({ first: tool("same"), second: tool("same") })).toThrow(new ToolDefinitionError(message));
  });

  it("throws when there is no tool", () => {
    class Empty {
      readonly name = "x";
    }
    const message =
      "Cannot take tools from an object of Empty: no field or getter of it holds one; make tools with defineTool in its fields, or decorate its methods";
    expect(() => toolsOf(new Empty())).toThrow(new ToolDefinitionError(message));
  });
});
