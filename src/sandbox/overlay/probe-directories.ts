import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";

import type { LayerMount } from "../../contract/layer.ts";
import { makeOwnedDirectory } from "../owned-directories.ts";

/**
 * Lends an empty root and an empty layer, for a probe that no request stands behind.
 * @param parent the directory to make them in, when its file system matters
 */
export async function withProbeDirectories<T>(use: (mount: LayerMount) => Promise<T>, parent?: string): Promise<T> {
  const directory = await makeOwnedDirectory("probe", parent);
  try {
    const mount = { root: join(directory, "root"), upper: join(directory, "upper"), work: join(directory, "work") };
    for (const each of Object.values(mount)) await mkdir(each);
    return await use({ ...mount, lowers: [] });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
