/**
 * A `shell` dispatch on the bubblewrap backend (fresh layer, control groups, overlay, system call filter, look for survivors,
 * read the layer back), against what a person would type for the same: `unshare`, an overlay mount over a fresh upper
 * directory, and `bwrap` with the same namespaces.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Bench } from "tinybench";
import { createEngine } from "../src/engine.ts";
import { printRatios } from "./print-ratios.ts";

const directory = await mkdtemp(join(tmpdir(), "cofferdam-bench-"));
const root = join(directory, "root");
await mkdir(root);
const engine = await createEngine({
  root,
  stateHome: join(directory, "state"),
  sandbox: { backend: "bubblewrap" },
  reviewer: () => ({ decision: "approve" }),
  // The same command is what is measured.
  maxRepeats: 1_000,
});

const BARE = `mount -t overlay overlay -o "userxattr,lowerdir=$1,upperdir=$2/upper,workdir=$2/work" /mnt &&
exec bwrap --unshare-all --unshare-user --disable-userns --new-session --die-with-parent --cap-drop ALL --uid 1000 --gid 1000 \
  --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 --ro-bind /etc /etc \
  --dev /dev --proc /proc --tmpfs /tmp --bind /mnt /workspace --chdir /workspace -- /bin/bash -c true`;

const bench = new Bench({ name: "bubblewrap", iterations: 40, time: 0, warmupIterations: 4, warmupTime: 0 });
let number = 0;
bench
  .add("cofferdam bubblewrap dispatch", async () => {
    const result = await engine.dispatch({ id: "1", name: "shell", input: { command: "true" } });
    if (!result.success) throw new Error(result.error);
  })
  .add("bare unshare, mount and bwrap", async () => {
    number += 1;
    const layer = join(directory, `layer-${number}`);
    for (const each of [layer, join(layer, "upper"), join(layer, "work")]) await mkdir(each);
    const child = spawn("unshare", ["-Urm", "sh", "-c", BARE, "sh", root, layer], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [code] = await once(child, "close");
    if (code !== 0) throw new Error(`bwrap ended with ${code}`);
  });
await bench.run();
printRatios(bench);

await engine[Symbol.asyncDispose]();
await rm(directory, { recursive: true });
