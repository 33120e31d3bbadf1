import { describe, expect, it } from "vitest";
import { coreTools } from "../../src/tools/core-tools.ts";
import { createRegistry } from "../../src/tools/registry.ts";

describe("coreTools()", () => {
  it("gives the built-in tools with their risks", () => {
    const risks = createRegistry(coreTools()).tools.map(({ name, risk, parallel }) => [name, risk, parallel]);
    expect(risks).toEqual([
      ["delete_file", "write", false],
      ["edit_file", "write", false],
      ["glob", "read", true],
      ["grep", "read", true],
      ["list_files", "read", true],
      ["move_file", "write", false],
      ["read_file", "read", true],
      ["run_javascript", "exec", false],
      ["shell", "exec", false],
      ["write_file", "write", false],
    ]);
  });

  it("describes every argument to the model", () => {
    for (const { parameters } of coreTools()) {
      for (const property of Object.values(parameters.properties ?? {})) {
        expect(property).toMatchObject({ description: expect.stringMatching(/\w/) });
      }
    }
  });
});
