import { chmod, lstat, mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addUserRule } from "../../src/gate/add-user-rule.ts";

describe("addUserRule()", () => {
  let directory: string;
  let file: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "cofferdam-rules-"));
    file = join(directory, "config", "policy.json");
  });
  afterEach(async () => await rm(directory, { recursive: true }));

  it("makes the file, readable by its owner only, and leaves nothing beside it", async () => {
    await addUserRule(file, "fetch");
    expect(await readFile(file, "utf8")).toBe('{\n  "allow": [\n    "fetch"\n  ]\n}\n');
    expect((await lstat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(directory, "config"))).toEqual(["lock.sqlite", "policy.json"]);
  });

  it("keeps what the policy says, adds a rule once, and goes through a link that stands for the file", async () => {
    await addUserRule(file, "first");
    const policy = { mode: "plan", allow: [{ rule: "a", justification: "b" }], deny: ["c"] };
    await writeFile(join(directory, "dotfile.json"), JSON.stringify(policy));
    await rm(file);
    await symlink("../dotfile.json", file);
    for (const rule of ["a", "new", "new"]) await addUserRule(file, rule);
    expect((await lstat(file)).isSymbolicLink()).toBe(true);
    expect(JSON.parse(await readFile(join(directory, "dotfile.json"), "utf8"))).toEqual({
      ...policy,
      allow: [...policy.allow, "new"],
    });
    expect(await readdir(directory)).toEqual(["config", "dotfile.json"]);
  });

  it("loses no rule when several processes add one at once", async () => {
    const rules = Array.from({ length: 20 }, (_, index) => `tool_${index}`);
    await Promise.all(rules.map(async (rule) => await addUserRule(file, rule)));
    const { allow }: { readonly allow: readonly string[] } = JSON.parse(await readFile(file, "utf8"));
    expect(allow.toSorted()).toEqual(rules.toSorted());
  });

  it("changes nothing when the file is no policy, and says so", async () => {
    await addUserRule(file, "a");
    await writeFile(file, '{ "allow": 1 }');
    await expect(addUserRule(file, "b")).rejects.toThrow(
      "Cannot use the policy of the user's policy: allow must be an array",
    );
    expect(await readFile(file, "utf8")).toBe('{ "allow": 1 }');
    expect(await readdir(join(directory, "config"))).toEqual(["lock.sqlite", "policy.json"]);
  });

  it.skipIf(process.getuid?.() === 0)("says what the system says when nothing can be written", async () => {
    await addUserRule(file, "a");
    await chmod(join(directory, "config"), 0o500);
    await expect(addUserRule(file, "b")).rejects.toThrow("the system says EACCES");
    await chmod(join(directory, "config"), 0o700);
  });
});
