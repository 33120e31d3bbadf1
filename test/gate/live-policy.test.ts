import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PolicyDefinition } from "../../src/contract/gate.ts";
import { LivePolicy } from "../../src/gate/live-policy.ts";
import { loadPolicy } from "../../src/gate/load-policy.ts";

describe("LivePolicy.refresh()", () => {
  let directory: string;
  let userFile: string;
  let now: number;
  let loads: number;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "cofferdam-live-"));
    userFile = join(directory, "policy.json");
    now = 0;
    loads = 0;
  });
  afterEach(async () => await rm(directory, { recursive: true }));

  const write = async (policy: PolicyDefinition | string) =>
    await writeFile(userFile, typeof policy === "string" ? policy : JSON.stringify(policy));
  const open = async () =>
    await LivePolicy.open({
      load: async () => {
        loads += 1;
        return await loadPolicy({ root: directory, userFile });
      },
      files: [userFile],
      clock: () => now,
    });
  const rulesOf = ({ state }: LivePolicy) =>
    state.status === "usable" ? state.policy.rules.map(({ effect, text }) => `${effect} ${text}`) : state.problem;

  it("reads a file that appears, changes and goes, at the next look", async () => {
    const live = await open();
    const seen = [];
    for (const policy of [{ deny: ["shell"] }, { deny: ["grep"] }, undefined]) {
      await (policy === undefined ? rm(userFile) : write(policy));
      now += 100;
      await live.refresh();
      seen.push(rulesOf(live));
    }
    expect(seen).toEqual([["deny shell"], ["deny grep"], []]);
    expect(loads).toBe(4);
  });

  it("has nothing to wait for when nothing changed, and looks no more than ten times a second", async () => {
    await write({ deny: ["shell"] });
    const live = await open();
    now += 100;
    expect(live.refresh()).toBeUndefined();
    await write({ deny: ["grep"] });
    now += 99;
    expect(live.refresh()).toBeUndefined();
    now += 1;
    await live.refresh();
    expect(rulesOf(live)).toEqual(["deny grep"]);
    expect(loads).toBe(2);
  });

  it("can use nothing while a file is no policy or asks for another sandbox or hidden paths, and recovers", async () => {
    await write({ deny: ["shell"], sandbox: { memoryMb: 512 } });
    const live = await open();
    const seen = [];
    const other = [{ sandbox: { memoryMb: 64 } }, { hide: [".env"], sandbox: { memoryMb: 512 } }];
    for (const policy of ["{ broken", ...other, { deny: ["grep"], sandbox: { memoryMb: 512 } }]) {
      await write(policy);
      now += 100;
      await live.refresh();
      seen.push([rulesOf(live), live.notices]);
    }
    const noJson =
      'Cannot use the policy of the user\'s policy: it is not JSON at line 1, column 3; a policy is one JSON object such as {"deny": ["shell"]}';
    const otherSandbox =
      'its "sandbox" or "workspace" settings or what it hides have changed while the engine is open; open the engine anew, or take the change back';
    expect(seen).toEqual([
      [noJson, [`Every call is denied until the policy is put right: ${noJson}`]],
      [otherSandbox, [`Every call is denied until the policy is put right: ${otherSandbox}`]],
      [otherSandbox, [`Every call is denied until the policy is put right: ${otherSandbox}`]],
      [["deny grep"], []],
    ]);
  });

  it("sees a link that leads elsewhere now, though both files are old", async () => {
    for (const name of ["shell", "grep"])
      await writeFile(join(directory, `${name}.json`), JSON.stringify({ deny: [name] }));
    await symlink("shell.json", userFile);
    const live = await open();
    await rm(userFile);
    await symlink("grep.json", userFile);
    now += 100;
    await live.refresh();
    expect(rulesOf(live)).toEqual(["deny grep"]);
  });
});
