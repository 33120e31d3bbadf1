import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { ManifestEntry } from "../../../src/contract/layer.ts";
import { findChangedMount, findNestedMounts } from "../../../src/sandbox/bubblewrap/nested-mounts.ts";

describe("findNestedMounts()", () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "cofferdam-test-"));
  });
  afterEach(async () => await rm(directory, { recursive: true }));

  it("findNestedMounts() gives the outermost mounts below the root, whatever their names", async () => {
    const points = ["/", "/srv/root", "/srv/root/b", "/srv/root/b/c", "/srv/root/a\\040b\\134\\012", "/srv/rootless/x"];
    const lines = [...points, "/srv/root/raw\u00ff"].map(
      (point, index) => `${index} 1 0:1 / ${point} rw - tmpfs none rw`,
    );
    const table = join(directory, "mountinfo");
    await writeFile(table, Buffer.from(`${lines.join("\n")}\n`, "latin1"));
    expect(await findNestedMounts("/srv/root", table)).toStrictEqual(["a b\\\n", "b", "raw\udcff"]);
    expect(await findNestedMounts("/srv/rootles", table)).toStrictEqual([]);
  });
});

describe("findChangedMount()", () => {
  const mountWith = (entry: ManifestEntry): Parameters<typeof findChangedMount>[1] => ({
    root: "/r",
    upper: "/u",
    work: "/w",
    lowers: [{ id: 1, upper: "/l", entries: [entry] }],
  });

  it.each<[ManifestEntry, boolean]>([
    [{ op: "put", path: "deep/volume/file", type: "file" }, true],
    [{ op: "put", path: "deep/volume", type: "directory" }, true],
    [{ op: "delete", path: "deep" }, true],
    [{ op: "put", path: "deep", type: "symlink" }, true],
    [{ op: "put", path: "deep", type: "directory", opaque: true }, true],
    [{ op: "put", path: "deep", type: "directory" }, false],
    [{ op: "put", path: "deep/volumes", type: "file" }, false],
    [{ op: "delete", path: "dee" }, false],
  ])("findChangedMount() looks at %o", (entry, isChanged) => {
    expect(findChangedMount(["deep/volume"], mountWith(entry))).toBe(isChanged ? "deep/volume" : undefined);
  });
});
