import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

import { expect, test } from "vitest";

import type { Workspace } from "../../src/workspace/workspace.ts";
import { noKernelMounts, readKernelTree, runInOverlay } from "../union/overlay-mount.ts";
import { makeFixture, readTree, readView } from "./support/workspace-fixture.ts";

/** Layers that the kernel's overlay wrote, landed and discarded in part: what the kernel shows of them stays the same. */

function fill(root: string): void {
  for (const directory of ["dist/old", "src", "kept"]) mkdirSync(`${root}/${directory}`, { recursive: true });
  for (const file of ["dist/a.js", "dist/old/b.js", "src/main.ts", "src/other.ts", "kept/file"]) {
    writeFileSync(`${root}/${file}`, `${file}\n`);
  }
}

async function keepFromKernel(workspace: Workspace, callId: string, script: string): Promise<void> {
  const draft = await workspace.beginLayer({ callId });
  const { root, lowers, upper } = await draft.mount();
  await runInOverlay({ root, layers: lowers, upper }, script);
  await draft.rescan();
  expect((await draft.keep()).outcome).toBe("kept");
}

async function makeLayers(workspace: Workspace): Promise<void> {
  await keepFromKernel(
    workspace,
    "build",
    "rm -rf dist; mkdir -p dist/old; echo new > dist/a.js; echo c > dist/old/c.js",
  );
  await keepFromKernel(workspace, "move", "mv src/main.ts src/moved.ts; chmod 700 src; rm -r kept; echo file > kept");
  await keepFromKernel(workspace, "again", "rm dist/a.js; mkdir dist/a.js; echo deep > dist/a.js/deep");
}

const SHOWN = [
  ["dist/a.js", "replaced", "again"],
  ["dist/a.js/deep", "added", "again"],
  ["dist/old/b.js", "deleted", "build"],
  ["dist/old/c.js", "added", "build"],
  ["kept", "replaced", "move"],
  ["kept/file", "deleted", "move"],
  ["src", "mode-changed", "move"],
  ["src/main.ts", "deleted", "move"],
  ["src/moved.ts", "added", "move"],
];

test.skipIf(noKernelMounts !== undefined)("changes() of kernel-made layers are exact", async () => {
  await using fixture = await makeFixture(fill);
  await using workspace = await fixture.open();
  await makeLayers(workspace);
  expect((await workspace.changes()).map(({ path, kind, callId }) => [path, kind, callId])).toEqual(SHOWN);
});

test
  .skipIf(noKernelMounts !== undefined)
  .each(["dist/old/c.js", "dist/old/b.js", "dist/a.js", "kept", "kept/file", "src/moved.ts", "src"])(
  "land() of %s leaves what the kernel shows as it is, and the rest lands after it",
  async (path) => {
    await using fixture = await makeFixture(fill);
    await using workspace = await fixture.open();
    await makeLayers(workspace);
    const shown = await readView(await workspace.view());
    const before = await readKernelTree({ root: fixture.root, layers: (await workspace.view()).layers });

    await workspace.land({ paths: [`/${path}`] });
    expect(await readKernelTree({ root: fixture.root, layers: (await workspace.view()).layers })).toEqual(before);
    expect(await readView(await workspace.view())).toEqual(shown);
    await workspace.land();
    expect(readTree(fixture.root)).toEqual(shown);
  },
);

test.skipIf(noKernelMounts !== undefined)(
  "discard() of a deletion brings back what an opaque directory hid, for the kernel too",
  async () => {
    await using fixture = await makeFixture(fill);
    await using workspace = await fixture.open();
    await makeLayers(workspace);
    await workspace.discard({ paths: ["dist/old/b.js"] });

    const stack = { root: fixture.root, layers: (await workspace.view()).layers };
    expect((await runInOverlay(stack, "cat dist/old/b.js dist/old/c.js")).toString()).toBe("dist/old/b.js\nc\n");
    await workspace.land();
    expect(readFileSync(`${fixture.root}/dist/old/b.js`, "utf8")).toBe("dist/old/b.js\n");
  },
);
