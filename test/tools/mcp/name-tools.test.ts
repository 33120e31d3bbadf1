import { array, assert, property, string } from "fast-check";
import { expect, it } from "vitest";
import { nameTools } from "../../../src/tools/mcp/name-tools.ts";

function namesOf(server: string, ...tools: readonly string[]): readonly string[] {
  return [...nameTools(server, tools).values()];
}

it("nameTools() puts the server's name before the tool's and replaces what no provider accepts", () => {
  expect(namesOf("git-hub", "create_issue", "issues/list", "naïve tool")).toEqual([
    "mcp__git-hub__create_issue",
    "mcp__git-hub__issues_list",
    "mcp__git-hub__na_ve_tool",
  ]);
});

it("nameTools() ends a name in a digest when it is too long, or was replaced and is taken", () => {
  expect(namesOf("s", "a.b", "a_b", "a/b")).toEqual(["mcp__s__a_b_2e7336dc", "mcp__s__a_b", "mcp__s__a_b_c14cddc0"]);
  expect(namesOf("s", "x".repeat(57))).toEqual([`mcp__s__${"x".repeat(47)}_ae14a256`]);
  expect(namesOf("s", "x".repeat(56))).toEqual([`mcp__s__${"x".repeat(56)}`]);
});

it("nameTools() gives every tool a name of its own that every provider accepts, whatever stands beside it", () => {
  const tool = string({ unit: "binary", maxLength: 130 });
  assert(
    property(array(tool, { maxLength: 12 }), (tools) => {
      const distinct = [...new Set(tools)];
      const names = namesOf("server", ...distinct);
      expect(new Set(names).size).toBe(distinct.length);
      for (const name of names) expect(name).toMatch(/^mcp__server__[a-zA-Z0-9_-]{0,51}$/);
      expect(namesOf("server", ...distinct.toReversed()).toReversed()).toEqual(names);
    }),
  );
});
