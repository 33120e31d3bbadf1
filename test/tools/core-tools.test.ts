import { describe, expect, it } from "vitest";
import { coreTools } from "../../src/tools/core-tools.ts";
import { createRegistry } from "../../src/tools/registry.ts";

describe("coreTools()", () => {
  it("gives the built-in tools with their risks", () => {
    const risks = createRegistry(coreTools()).tools.map(({ name, risk, parallel }) => [name, risk, parallel]);
    expect(risks).toEqual([
      ["apply_patch", "write", false],
      ["ask_user", "read", false],
      ["delete_file", "write", false],
      ["edit_file", "write", false],
      ["finish", "read", false],
      ["glob", "read", true],
      ["grep", "read", true],
      ["list_files", "read", true],
      ["make_directory", "write", false],
      ["move_file", "write", false],
      ["multi_edit", "write", false],
      ["read_file", "read", true],
      ["read_image", "read", true],
      ["run_javascript", "exec", false],
      ["shell", "exec", false],
      ["todo", "read", false],
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
