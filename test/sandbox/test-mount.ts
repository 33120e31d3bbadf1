import { chmod, chown, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { LayerMount } from "../../src/contract/layer.ts";

/** An empty root that an ordinary user owns, and an empty layer. Disposing removes both. */
export interface TestMount extends LayerMount, AsyncDisposable {
  readonly directory: string;
}

/** Makes a root and a layer; `rootName` is the root directory's own name. Who is not root owns the root themselves. */
export async function createMount(rootName = "root"): Promise<TestMount> {
  const directory = await mkdtemp(join(tmpdir(), "cofferdam-test-"));
  await chmod(directory, 0o755);
  const [root, upper, work] = [join(directory, rootName), join(directory, "upper"), join(directory, "work")];
  for (const each of [root, upper, work]) await mkdir(each);
  if (process.getuid?.() === 0) await chown(root, 1000, 1000);
  return {
    directory,
    root,
    upper,
    work,
    lowers: [],
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}
