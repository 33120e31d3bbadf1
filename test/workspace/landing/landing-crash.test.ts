import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

import { describe, expect, test } from "vitest";

import type { WorkspaceFixture } from "../support/workspace-fixture.ts";
import { makeFixture, readTree, readView } from "../support/workspace-fixture.ts";
import { fillScenarioRoot, keepScenarioLayer } from "../support/landing-scenario.ts";

const CHILD = fileURLToPath(new URL("../support/landing-child.ts", import.meta.url));
/** Not every moment: each costs three processes. */
const ROLLBACK_STRIDE = 5;

describe("a process that is killed while it lands", () => {
  test.each(["begin", "stage", "intend", "save", "remove", "place", "mode", "verify", "commit"])(
    "openWorkspace() puts the root back to the old state when it was killed in phase %s",
    async (phase) => {
      await using fixture = await makeScenario();
      const { before, shown } = await look(fixture);
      for (const moment of await momentsOf(fixture, { action: "land", phase })) {
        await using copy = await makeScenario();
        await runChild(copy, "land", moment);

        await using workspace = await copy.open();
        expect(leftovers(copy)).toEqual([]);
        expect(readTree(copy.root)).toEqual(before);
        expect(await readView(await workspace.view())).toEqual(shown);
        expect(workspace.landings()).toEqual([]);
        await workspace.land();
        expect(readTree(copy.root)).toEqual(shown);
        await workspace.undo();
        expect(readTree(copy.root)).toEqual(before);
      }
    },
  );

  test("openWorkspace() cleans up and leaves the new state when it was killed after the commit", async () => {
    await using fixture = await makeScenario();
    const { before, shown } = await look(fixture);
    const [moment = 0] = await momentsOf(fixture, { action: "land", phase: "clean" });
    await using copy = await makeScenario();
    await runChild(copy, "land", moment);

    await using workspace = await copy.open();
    expect(leftovers(copy)).toEqual([]);
    expect(readTree(copy.root)).toEqual(shown);
    expect(await workspace.changes()).toEqual([]);
    expect(workspace.landings().map(({ state }) => state)).toEqual(["landed"]);
    await workspace.undo();
    expect(readTree(copy.root)).toEqual(before);
  });

  test("openWorkspace() finishes a rollback that was killed itself, at moments all over it", async () => {
    await using fixture = await makeScenario();
    const { before, shown } = await look(fixture);
    const [allApplied = 0] = (await momentsOf(fixture, { action: "land", phase: "verify" })).slice(-1);
    let moment = 0;
    for (let isKilled = true; isKilled; moment += ROLLBACK_STRIDE) {
      await using copy = await makeScenario();
      await runChild(copy, "land", allApplied);
      isKilled = (await runChild(copy, "open", moment)).isKilled;

      await using workspace = await copy.open();
      expect(readTree(copy.root)).toEqual(before);
      expect(await readView(await workspace.view())).toEqual(shown);
      expect(leftovers(copy)).toEqual([]);
    }
    expect(moment).toBeGreaterThan(10);
  });
});

describe("a process that is killed while it undoes", () => {
  test.each(["stage", "remove", "place", "mode", "commit"])(
    "openWorkspace() puts the root back to the landed state when it was killed in phase %s",
    async (phase) => {
      await using fixture = await makeLandedScenario();
      const landed = readTree(fixture.root);
      for (const moment of await momentsOf(fixture, { action: "undo", phase })) {
        await using copy = await makeLandedScenario();
        await runChild(copy, "undo", moment);

        await using workspace = await copy.open();
        expect(leftovers(copy)).toEqual([]);
        expect(readTree(copy.root)).toEqual(landed);
        await workspace.undo();
        await using original = await makeScenario();
        expect(readTree(copy.root)).toEqual(readTree(original.root));
      }
    },
  );

  test("openWorkspace() cleans up and leaves the former state when it was killed after the commit", async () => {
    await using fixture = await makeLandedScenario();
    const [moment = 0] = await momentsOf(fixture, { action: "undo", phase: "clean" });
    await using copy = await makeLandedScenario();
    await runChild(copy, "undo", moment);

    await using workspace = await copy.open();
    await using original = await makeScenario();
    expect(leftovers(copy)).toEqual([]);
    expect(workspace.landings().map(({ state }) => state)).toEqual(["undone"]);
    expect(readTree(copy.root)).toEqual(readTree(original.root));
  });
});

async function makeScenario(): Promise<WorkspaceFixture> {
  const fixture = await makeFixture(fillScenarioRoot);
  await using workspace = await fixture.open();
  await keepScenarioLayer(workspace);
  return fixture;
}

async function makeLandedScenario(): Promise<WorkspaceFixture> {
  const fixture = await makeScenario();
  await using workspace = await fixture.open();
  await workspace.land();
  return fixture;
}

async function look(
  fixture: WorkspaceFixture,
): Promise<{ before: ReturnType<typeof readTree>; shown: Awaited<ReturnType<typeof readView>> }> {
  await using workspace = await fixture.open();
  return { before: readTree(fixture.root), shown: await readView(await workspace.view()) };
}

/** The numbers of a moment in the middle and of the last one of a phase; runs the action to its end. */
async function momentsOf(
  fixture: WorkspaceFixture,
  { action, phase }: { readonly action: string; readonly phase: string },
): Promise<readonly number[]> {
  const { phases } = await runChild(fixture, action, -1);
  const all = phases.flatMap((name, index) => (name === phase ? [index] : []));
  expect(all).not.toEqual([]);
  return [...new Set([all[all.length >> 1]!, all.at(-1)!])];
}

async function runChild(
  fixture: WorkspaceFixture,
  action: string,
  killAt: number,
): Promise<{ readonly phases: readonly string[]; readonly isKilled: boolean }> {
  const child = spawn(process.execPath, [CHILD, fixture.root, fixture.stateHome, action, String(killAt)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output, [code, signal]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  expect(signal === "SIGKILL" || code === 0).toBe(true);
  return { phases: output.split("\n").slice(0, -1), isKilled: signal === "SIGKILL" };
}

/** What a landing leaves in the root or in the state directory when nobody cleans up. */
function leftovers(fixture: WorkspaceFixture): readonly string[] {
  const [name = ""] = readdirSync(join(fixture.stateHome, "roots"));
  const state = join(fixture.stateHome, "roots", name);
  const uppers = readdirSync(join(state, "layers"), { recursive: true, encoding: "utf8" }).filter((path) =>
    /^\d+\/(?:work|upper-)/.test(path),
  );
  return [...readdirSync(fixture.root).filter((path) => path.startsWith(".cofferdam-")), ...uppers];
}
