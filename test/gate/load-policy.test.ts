import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PolicyDefinition, PolicyMode } from "../../src/contract/gate.ts";
import { ConfigurationError } from "../../src/errors/configuration-error.ts";
import { loadPolicy } from "../../src/gate/load-policy.ts";
import { RuleIndex } from "../../src/gate/rule-index.ts";

describe("loadPolicy()", () => {
  let root: string;
  let userFile: string;

  beforeEach(async () => {
    const directory = await mkdtemp(join(tmpdir(), "cofferdam-policy-"));
    root = join(directory, "root");
    userFile = join(directory, "policy.json");
    await mkdir(root);
  });
  afterEach(async () => await rm(join(root, ".."), { recursive: true }));

  const load = async (option?: PolicyDefinition | string) =>
    await loadPolicy({ root, userFile, ...(option === undefined ? {} : { option }) });
  const writeRoot = async (value: unknown) => await writeFile(join(root, "cofferdam.json"), JSON.stringify(value));
  const writeUser = async (value: unknown) => await writeFile(userFile, JSON.stringify(value));

  it("gives the default policy when nothing is written anywhere", async () => {
    expect(await load()).toEqual({
      mode: "default",
      rules: [],
      index: expect.any(RuleIndex),
      hide: [],
      workspace: {},
      sandbox: {},
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      notices: [],
    });
  });

  it("adds up the rules of every source and lets the option's mode and sandbox win over the user's", async () => {
    await writeUser({ mode: "auto", allow: ["shell"], sandbox: { memoryMb: 100, pids: 10 } });
    const policy = await load({ mode: "default", deny: ["fetch_url"], sandbox: { memoryMb: 200 } });
    expect(policy.mode).toBe("default");
    expect(policy.sandbox).toEqual({ memoryMb: 200, pids: 10 });
    expect(policy.rules.map(({ effect, text, source }) => `${effect} ${text}: ${source}`)).toEqual([
      "allow shell: the user's policy",
      "deny fetch_url: the policy option",
    ]);
  });

  it("lets the file in the root only tighten, and says what is left out", async () => {
    await writeRoot({ mode: "auto", allow: ["*"], ask: ["write_file"], deny: ["shell"], sandbox: { image: "evil" } });
    const policy = await load();
    expect(policy.mode).toBe("default");
    expect(policy.sandbox).toEqual({});
    expect(policy.rules.map(({ effect, text }) => `${effect} ${text}`)).toEqual(["ask write_file", "deny shell"]);
    expect(policy.notices).toEqual([
      '"mode" in cofferdam.json in the root is not applied: until its content is trusted, a file in the root may only tighten the policy',
      '"allow" in cofferdam.json in the root is not applied: until its content is trusted, a file in the root may only tighten the policy',
      '"sandbox" in cofferdam.json in the root is not applied: until its content is trusted, a file in the root may only tighten the policy',
    ]);
  });

  it("follows no link out of the root, and quotes nothing of a file that is no policy", async () => {
    await writeFile(userFile, "secret-token-of-the-user");
    await symlink(userFile, join(root, "cofferdam.json"));
    const linked = await load().catch((thrown: unknown) => String(thrown));
    expect(linked).toContain(`Cannot read the policy "${join(root, "cofferdam.json")}": it is a symbolic link; `);
    await rm(join(root, "cofferdam.json"));
    const broken: unknown = await load().catch((thrown: unknown) => thrown);
    expect(broken).toEqual(
      new ConfigurationError(
        'Cannot use the policy of the user\'s policy: it is not JSON at line 1, column 1; a policy is one JSON object such as {"deny": ["shell"]}',
      ),
    );
    expect(inspect(broken)).not.toContain("secret");
  });

  it("hides what any policy hides, and lets no file in the root raise what the workspace may hold", async () => {
    await writeRoot({ hide: ["*.pem"], workspace: { maxMb: 1_000_000 } });
    await writeUser({ hide: [".env"], workspace: { maxMb: 100, maxFiles: 10 } });
    expect(await load({ hide: ["/vault"], workspace: { maxMb: 200 } })).toMatchObject({
      hide: ["*.pem", ".env", "/vault"],
      workspace: { maxMb: 200, maxFiles: 10 },
      notices: [
        '"workspace" in cofferdam.json in the root is not applied: until its content is trusted, a file in the root may only tighten the policy',
      ],
    });
  });

  it("takes the mode of the file in the root when it is stricter", async () => {
    await writeRoot({ mode: "plan" });
    expect(await load({ mode: "auto" })).toMatchObject({ mode: "plan", notices: [] });
    expect(await load({ mode: "plan" })).toMatchObject({ mode: "plan", notices: [] });
  });

  it.each([
    ["default", "plan"],
    ["acceptEdits", "default"],
    ["auto", "dontAsk"],
  ] as const)(
    "says that the mode %s of the file in the root is left out where it would loosen %s",
    async (asked, mode) => {
      await writeRoot({ mode: asked });
      expect(await load({ mode })).toMatchObject({
        mode,
        notices: [
          '"mode" in cofferdam.json in the root is not applied: until its content is trusted, a file in the root may only tighten the policy',
        ],
      });
    },
  );

  it("lets a mode that was chosen beside the policies win, but for a stricter one of the file in the root", async () => {
    await writeUser({ mode: "plan" });
    expect((await load({ mode: "auto" })).mode).toBe("auto");
    const chosen = async (mode: PolicyMode) =>
      (await loadPolicy({ root, userFile, option: { mode: "plan" }, mode })).mode;
    expect(await chosen("acceptEdits")).toBe("acceptEdits");
    await writeRoot({ mode: "dontAsk" });
    expect([await chosen("acceptEdits"), await chosen("plan")]).toEqual(["dontAsk", "plan"]);
  });

  it("gives another digest to another policy", async () => {
    const [first, same, other] = [
      await load({ deny: ["shell"] }),
      await load({ deny: ["shell"] }),
      await load({ deny: ["grep"] }),
    ];
    expect(first.digest).toBe(same.digest);
    expect(first.digest).not.toBe(other.digest);
  });

  const mistakes: readonly [string, string, string][] = [
    ["is not JSON", '{\n  "deny": [secret]\n}', "it is not JSON at line 2, column 12; "],
    ["is no object", "[]", "it is an array; a policy is one JSON object"],
    ["is null", "null", "it is null; a policy is one JSON object"],
    [
      "has a key that nothing enforces",
      '{ "network": "none" }',
      'policy of "mine.json": "network" is not a key of a policy; the keys are "$schema", "mode", "include", "allow", "ask", "deny", "hide", "workspace", "sandbox"',
    ],
    ["has a misspelt key", '{ "dney": [] }', '"dney" is not a key of a policy; the keys are'],
    ["has a nearly right key", '{ "denny": [] }', '"denny" is not a key of a policy; did you mean "deny"?'],
    [
      "has a misspelt key below",
      '{ "sandbox": { "memoryMB": 1 } }',
      '"sandbox.memoryMB" is not a key of a policy; did you mean "memoryMb"?',
    ],
    [
      "has a misspelt key in a rule",
      '{ "deny": [{ "rule": "a", "justfication": "b" }] }',
      '"deny.0.justfication" is not a key of a policy; did you mean "justification"?',
    ],
    [
      "has an unknown mode",
      '{ "mode": "yolo" }',
      'mode must be "plan", "default", "acceptEdits", "auto" or "dontAsk", not "yolo"',
    ],
    ["has a number where a rule should be", '{ "deny": [1] }', "deny.0"],
    ["asks for a network", '{ "sandbox": { "network": "full" } }', "sandbox.network must be"],
    ["has a rule whose matcher means nothing", '{ "deny": ["shell(rm; ls)"] }', "one command of plain words"],
  ];
  it.each(mistakes)("throws when the policy file %s", async (_title, text, problem) => {
    const file = join(root, "mine.json");
    await writeFile(file, text);
    const error = await load(file).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toContain('"mine.json"');
    expect(String(error)).toContain(problem);
  });

  it("throws when a policy file that was named is missing or a directory", async () => {
    await expect(load(join(root, "none.json"))).rejects.toThrow(
      new ConfigurationError(
        `Cannot read the policy "${join(root, "none.json")}": there is no such file; name one that exists`,
      ),
    );
    await expect(load(root)).rejects.toThrow(
      new ConfigurationError(`Cannot read the policy "${root}": it is a directory; a policy is a regular file of JSON`),
    );
  });
});
