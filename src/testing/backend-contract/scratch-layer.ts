import { chown, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { tmpdir } from "node:os";

import type { Layer, LayerMount, ManifestEntry } from "../../contract/layer.ts";
import type { Execution, RunOptions, SandboxBackend } from "../../contract/sandbox.ts";
import type { ReadableWorkspace } from "../../contract/workspace.ts";
import { scanUpper } from "../../union/scan-upper.ts";
import { openUnionView } from "../../union/union-view.ts";

/** A root with an empty layer on it, in a temporary directory. Disposing removes all of it. */
export interface ScratchLayer extends AsyncDisposable {
  readonly mount: LayerMount;
  /** Runs one script on the layer, in a session of its own. */
  run(backend: SandboxBackend, script: string, options?: Partial<RunOptions>): Promise<LayerRun>;
  /** Keeps the layer as `run` left it, and puts an empty one on top. */
  keep(entries: readonly ManifestEntry[]): Promise<void>;
}

/** What a script on a layer comes down to. */
export interface LayerRun {
  readonly execution: Execution;
  readonly entries: readonly ManifestEntry[];
  /** The workspace as it is afterwards. */
  readonly view: ReadableWorkspace;
}

/** Makes a root that holds `files`, by path. It belongs to an ordinary user, as a sandbox runs as the root's owner. */
export async function createScratchLayer(files: Readonly<Record<string, string>> = {}): Promise<ScratchLayer> {
  const directory = await mkdtemp(join(tmpdir(), "cofferdam-contract-"));
  const root = join(directory, "root");
  await mkdir(root);
  for (const [path, content] of Object.entries(files)) await plant(join(root, path), content);
  await giveAway(root, Object.keys(files));
  let lowers: readonly Layer[] = [];
  let mount = await addLayer(directory, { root, lowers });
  return {
    get mount() {
      return mount;
    },
    async run(backend, script, options = {}) {
      await using session = await backend.open({ mount });
      const execution = await session.run({ kind: "shell", script }, { timeoutMs: 60_000, ...options });
      const below = openUnionView({ root, layers: lowers });
      const { entries } = await scanUpper({ below, upper: mount.upper, reported: session.reportedEntries?.() ?? [] });
      const layers = [...lowers, { id: lowers.length + 1, upper: mount.upper, entries }];
      return { execution, entries, view: openUnionView({ root, layers }) };
    },
    async keep(entries) {
      lowers = [...lowers, { id: lowers.length + 1, upper: mount.upper, entries }];
      mount = await addLayer(directory, { root, lowers });
    },
    [Symbol.asyncDispose]: async () => await rm(directory, { recursive: true, force: true }),
  };
}

async function plant(file: string, content: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}

/** Who is not the superuser owns the root anyway. */
async function giveAway(root: string, paths: readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const owned = new Set([root]);
  for (const path of paths) {
    for (let current = join(root, path); current !== root; current = dirname(current)) owned.add(current);
  }
  for (const each of owned) await chown(each, 1000, 1000);
}

async function addLayer(directory: string, below: Pick<LayerMount, "root" | "lowers">): Promise<LayerMount> {
  const [upper, work] = ["upper", "work"].map((name) => join(directory, `${name}-${below.lowers.length}`)) as [
    string,
    string,
  ]; // as many as went in
  for (const each of [upper, work]) await mkdir(each);
  return { ...below, upper, work };
}
