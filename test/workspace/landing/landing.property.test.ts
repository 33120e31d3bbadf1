import * as fc from "fast-check";
import { expect, test } from "vitest";

import type { Change } from "../../../src/contract/change.ts";
import type { Workspace } from "../../../src/workspace/workspace.ts";
import type { RandomChange } from "../support/random-changes.ts";
import { applyChanges, randomChange } from "../support/random-changes.ts";
import type { Tree } from "../support/workspace-fixture.ts";
import { makeFixture, readTree, readView } from "../support/workspace-fixture.ts";

const stack = fc.array(fc.array(randomChange, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 });
const base = fc.array(randomChange, { maxLength: 8 });

test("land() makes the root equal to the view, and undo() the root equal to what it was, for any layers", async () => {
  await fc.assert(
    fc.asyncProperty(base, stack, async (baseChanges, layers) => {
      await using fixture = await makeFixture();
      await using workspace = await fixture.open();
      await landAll(workspace, baseChanges);
      await keepLayers(workspace, layers);
      const before = readTree(fixture.root, { times: true });
      const shown = await readView(await workspace.view());
      const changes = await workspace.changes();
      expect(describeChanges(changes)).toEqual(describeDifferences(readTree(fixture.root), shown));
      if (changes.length === 0) return;

      const landing = await workspace.land();
      expect(landing.changes).toEqual(changes);
      expect(readTree(fixture.root)).toEqual(shown);
      expect(await workspace.changes()).toEqual([]);
      expect(await readView(await workspace.view())).toEqual(shown);

      await workspace.undo(landing.id);
      expect(readTree(fixture.root, { times: true })).toEqual(before);
    }),
    { numRuns: 40 },
  );
});

test("land() of any selection leaves the view as it is, and the rest can land after it", async () => {
  await fc.assert(
    fc.asyncProperty(base, stack, fc.nat(), async (baseChanges, layers, choice) => {
      await using fixture = await makeFixture();
      await using workspace = await fixture.open();
      await landAll(workspace, baseChanges);
      await keepLayers(workspace, layers);
      const shown = await readView(await workspace.view());
      const rootBefore = readTree(fixture.root);
      const pending = await workspace.changes();
      if (pending.length === 0) return;
      const selected = pending[choice % pending.length]!.path;

      const landing = await workspace.land({ paths: [`/${selected}`] });
      const landed = new Set(landing.changes.map((change) => change.path));
      const rootAfter = readTree(fixture.root);
      for (const path of new Set([...Object.keys(rootBefore), ...Object.keys(shown)])) {
        expect([path, rootAfter[path]]).toEqual([path, (landed.has(path) ? shown : rootBefore)[path]]);
      }
      expect(await readView(await workspace.view())).toEqual(shown);
      const rest = await workspace.changes();
      expect(rest.map(({ path, kind }) => ({ path, kind }))).toEqual(
        pending.filter((change) => !landed.has(change.path)).map(({ path, kind }) => ({ path, kind })),
      );

      if (rest.length > 0) await workspace.land();
      expect(readTree(fixture.root)).toEqual(shown);
    }),
    { numRuns: 40 },
  );
});

test("discard() of any selection brings back the root there, and leaves the rest of the view as it is", async () => {
  await fc.assert(
    fc.asyncProperty(base, stack, fc.nat(), async (baseChanges, layers, choice) => {
      await using fixture = await makeFixture();
      await using workspace = await fixture.open();
      await landAll(workspace, baseChanges);
      await keepLayers(workspace, layers);
      const root = readTree(fixture.root);
      const shown = await readView(await workspace.view());
      const pending = await workspace.changes();
      if (pending.length === 0) return;
      const selected = pending[choice % pending.length]!.path;

      const discarded = new Set((await workspace.discard({ paths: [`/${selected}`] })).map((change) => change.path));
      expect(readTree(fixture.root)).toEqual(root);
      const after = await readView(await workspace.view());
      for (const path of new Set([...Object.keys(root), ...Object.keys(shown)])) {
        expect([path, after[path]]).toEqual([path, (discarded.has(path) ? root : shown)[path]]);
      }
      const rest = await workspace.changes();
      if (rest.length > 0) await workspace.land();
      expect(readTree(fixture.root)).toEqual(after);
    }),
    { numRuns: 40 },
  );
});

async function landAll(workspace: Workspace, changes: readonly RandomChange[]): Promise<void> {
  await keepLayers(workspace, [changes]);
  if ((await workspace.changes()).length > 0) await workspace.land();
}

async function keepLayers(workspace: Workspace, layers: readonly (readonly RandomChange[])[]): Promise<void> {
  for (const [index, changes] of layers.entries()) {
    const draft = await workspace.beginLayer({ callId: `call-${index}` });
    await applyChanges(draft.files, changes);
    await draft.keep();
  }
}

function describeChanges(changes: readonly Change[]): readonly string[] {
  return changes.map((change) => `${change.kind} ${change.type} ${change.path}`).toSorted();
}

/** What the changes between two trees must be, worked out from nothing but the trees. */
function describeDifferences(before: Tree, after: Tree): readonly string[] {
  const found: string[] = [];
  for (const path of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, current] = [before[path], after[path]];
    if (old === current) continue;
    const [oldType = "", oldMode] = old?.split(" ") ?? [];
    const [type = "", mode] = current?.split(" ") ?? [];
    if (current === undefined) found.push(`deleted ${oldType} ${path}`);
    else if (old === undefined) found.push(`added ${type} ${path}`);
    else if (oldType !== type) found.push(`replaced ${type} ${path}`);
    else if (oldMode !== mode && old.replace(` ${oldMode}`, "") === current.replace(` ${mode}`, "")) {
      found.push(`${type === "symlink" ? "modified" : "mode-changed"} ${type} ${path}`);
    } else found.push(`modified ${type} ${path}`);
  }
  return found.toSorted();
}
