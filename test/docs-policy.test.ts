import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadPolicy } from "../src/gate/load-policy.ts";
import { createProject } from "./e2e/command-line.ts";

const page = await readFile(new URL("../docs/policy.md", import.meta.url), "utf8");

function fences(language: string): readonly string[] {
  return [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, found, text = ""]) =>
    found === language ? [text] : [],
  );
}

describe("docs/policy.md", () => {
  it.each(fences("json"))("shows a policy that loads: %s", async (text) => {
    const directory = await mkdtemp(join(tmpdir(), "cofferdam-docs-"));
    try {
      const option = join(directory, "policy.json");
      await writeFile(option, text);
      const policy = await loadPolicy({ root: directory, userFile: join(directory, "none.json"), option });
      expect(policy.notices).toEqual([]);
      expect(policy.rules.length + policy.mode.length).toBeGreaterThan(0);
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  it("shows commands that work, in their order", async () => {
    await using project = await createProject({ "cofferdam.json": '{ "allow": ["shell"] }' });
    const commands = fences("sh").flatMap((block) => block.trim().split("\n"));
    expect(commands.length).toBeGreaterThanOrEqual(4);
    for (const command of commands) {
      const words = command.replace(/^npx cofferdam /, "").split(" ");
      expect([command, await project.run(words)]).toEqual([
        command,
        expect.objectContaining({ exitCode: 0, stderr: expect.not.stringContaining("Cannot") }),
      ]);
    }
  });
});
