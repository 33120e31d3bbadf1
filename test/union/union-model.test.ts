import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";

import * as fc from "fast-check";
import { expect, test } from "vitest";

import type { Layer } from "../../src/contract/layer.ts";
import { scanUpper } from "../../src/union/scan-upper.ts";
import { openUnionDraft } from "../../src/union/union-draft.ts";
import { openUnionView, type UnionView } from "../../src/union/union-view.ts";
import { createWhiteoutMaker } from "../../src/union/whiteouts.ts";
import { noKernelMounts, readKernelTree } from "./overlay-mount.ts";
import { readPlainTree, readWorkspaceTree } from "./plain-tree.ts";
import { anyOperation, applyToDirectory, applyToWorkspace, type WorkspaceOperation } from "./workspace-operations.ts";

/*
 * The model: a plain directory, changed by the kernel's own calls. A union of up to four layers that takes the same
 * operations must show the same tree, by its own methods and when the kernel mounts its layers.
 */

const anyHistory = fc.record({
  root: fc.array(anyOperation, { maxLength: 12 }),
  layers: fc.array(fc.array(anyOperation, { minLength: 1, maxLength: 14 }), { minLength: 1, maxLength: 4 }),
});

interface Stack {
  readonly root: string;
  readonly model: string;
  readonly view: UnionView;
}

test(
  "openUnionDraft() does what a plain directory does for any operations on any layers",
  { timeout: 240_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, (history) =>
        withStack(history.root, async (stack) => {
          let { view } = stack;
          for (const [index, operations] of history.layers.entries()) {
            view = view.withLayer(await changeBoth({ ...stack, view }, { index, operations }));
            const expected = await readPlainTree(stack.model);
            expect(await readWorkspaceTree(view)).toEqual(expected);
            expect(await readWorkspaceTree(openUnionView(view))).toEqual(expected);
          }
          expect(await readPlainTree(stack.root)).toEqual(await readPlainTree(`${stack.root}-before`));
        }),
      ),
      { numRuns: 150 },
    );
  },
);

test.skipIf(noKernelMounts !== undefined)(
  "openUnionDraft() writes layers that the kernel's overlayfs shows alike",
  { timeout: 240_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, (history) =>
        withStack(history.root, async (stack) => {
          let { view } = stack;
          for (const [index, operations] of history.layers.entries()) {
            view = view.withLayer(await changeBoth({ ...stack, view }, { index, operations }));
          }
          expect(await readKernelTree(view)).toEqual(await readPlainTree(stack.model));
        }),
      ),
      { numRuns: 40 },
    );
  },
);

async function withStack(
  operations: readonly WorkspaceOperation[],
  use: (stack: Stack) => Promise<void>,
): Promise<void> {
  const base = await mkdtemp(`${tmpdir()}/union-model-`);
  const [root, model] = [`${base}/root`, `${base}/model`];
  try {
    await mkdir(root);
    for (const operation of operations) await applyToDirectory(root, operation).catch(ignore);
    for (const copy of [model, `${root}-before`]) {
      // Node cannot copy names that are not UTF-8.
      expect(spawnSync("cp", ["-a", root, copy]).status).toBe(0);
    }
    await use({ root, model, view: openUnionView({ root, layers: [] }) });
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

/** Operations that a directory refuses are part of the history: both sides have to refuse them. */
function ignore(): void {}

async function changeBoth(
  { root, model, view }: Stack,
  { index, operations }: { readonly index: number; readonly operations: readonly WorkspaceOperation[] },
): Promise<Layer> {
  const upper = `${root}-upper-${index}`;
  await mkdir(upper);
  const draft = openUnionDraft({ below: view, upper, whiteouts: createWhiteoutMaker({ directory: `${root}/..` }) });
  for (const operation of operations) {
    const [ours, kernels] = await Promise.all([
      outcomeOf(applyToWorkspace(draft, operation)),
      outcomeOf(applyToDirectory(model, operation)),
    ]);
    expect({ operation, outcome: ours }).toEqual({ operation, outcome: kernels });
  }
  const entries = draft.entries();
  expect(await readWorkspaceTree(draft)).toEqual(await readPlainTree(model));
  expect(await scanUpper({ below: view, upper })).toEqual({ entries, refused: [] });
  return { id: index + 1, upper, entries };
}

async function outcomeOf(operation: Promise<void>): Promise<"done" | "refused"> {
  return operation.then(
    () => "done",
    (error: unknown) => {
      if (error instanceof Error && "code" in error) return "refused";
      if (error instanceof Error && error.message === "exists") return "refused";
      throw error;
    },
  );
}
