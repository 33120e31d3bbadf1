import { chownSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

import { temporaryEngine, type TemporaryEngine } from "../fixtures/temporary-engine.ts";
import { describeWithBubblewrap } from "../sandbox/bubblewrap/fixture.ts";
import { describeWithEngine } from "../sandbox/docker/engine-available.ts";

const WORKSPACE = { maxFiles: 20, maxMb: 4 };
const STOPPED =
  "Cannot keep what the command wrote: the workspace holds as much as it may, so the command was stopped and its changes were dropped; write less, or have pending changes landed or discarded first";
const NO_ROOM = "the workspace holds as much as it may; write less, or have pending changes landed or discarded first";

async function open(backend: string): Promise<TemporaryEngine> {
  const temporary = await temporaryEngine({ workspace: WORKSPACE, policy: { mode: "auto" }, sandbox: { backend } });
  if (backend === "docker" && process.getuid?.() === 0) chownSync(temporary.root, 1000, 1000);
  return temporary;
}

it("a write tool is refused what the workspace has no room for, and what was kept before counts", async () => {
  await using temporary = await open("virtual");
  const { engine } = temporary;
  const write = async (path: string, sizeMb: number): Promise<string> => {
    const content = "x".repeat(sizeMb * 1_048_576);
    const result = await engine.dispatch({ id: path, name: "write_file", input: { path, content } });
    return result.success ? "written" : result.error;
  };
  expect(await write("a", 3)).toBe("written");
  expect(await write("b", 3)).toBe(`Cannot write "b": ${NO_ROOM}`);
  expect(await write("c", 1)).toBe("written");
  expect(await write("d", 0)).toBe("written");
  expect((await engine.workspace.changes()).map(({ path }) => path)).toEqual(["a", "c", "d"]);
  await engine.land();
  expect(await write("b", 3)).toBe("written");
});

it("a command in virtual is told that the disk is full", async () => {
  await using temporary = await open("virtual");
  const command = "for i in $(seq 40); do echo x > file-$i; done; ls | wc -l";
  const result = await temporary.engine.dispatch({ id: "1", name: "shell", input: { command } });
  expect(result.output).toContain("20");
  expect(result.output).toContain("ENOSPC");
});

/** What is left of the layers of a writer that would go on for ever, and of one that is over before anybody looks. */
async function overflow(backend: string): Promise<readonly string[]> {
  await using temporary = await open(backend);
  const { engine } = temporary;
  for (const command of [
    "while :; do head -c 1000000 /dev/zero >> big; sleep 0.02; done",
    "head -c 9000000 /dev/zero > big",
  ]) {
    const result = await engine.dispatch({ id: "1", name: "shell", input: { command } });
    expect(result).toMatchObject({ success: false, error: STOPPED, errorKind: "business", changes: [] });
  }
  expect(await engine.workspace.changes()).toEqual([]);
  const [state = ""] = readdirSync(join(temporary.stateHome, "roots"));
  return readdirSync(join(temporary.stateHome, "roots", state, "layers"));
}

describeWithEngine("docker: a command that writes more than the workspace may hold", () => {
  it("is stopped, and nothing of it is kept", async () => {
    expect(await overflow("docker")).toEqual([]);
  });
});

describeWithBubblewrap("bubblewrap: a command that writes more than the workspace may hold", () => {
  it("is stopped, and nothing of it is kept", async () => {
    expect(await overflow("bubblewrap")).toEqual([]);
  });
});
