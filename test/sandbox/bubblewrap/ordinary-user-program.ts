import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { createBubblewrapBackend } from "../../../src/sandbox/bubblewrap/bubblewrap-backend.ts";
import { scanUpper } from "../../../src/union/scan-upper.ts";
import { openUnionView } from "../../../src/union/union-view.ts";
import { createMount } from "../test-mount.ts";

/*
 * A program that an ordinary user runs: what the backend says it can do, what becomes of a layer, and what holds a command
 * that takes too much. It prints all of it as JSON, and ends with an error when it cannot remove what it made.
 */

const backend = createBubblewrapBackend();
const capabilities = await backend.probe();
const found: Record<string, unknown> = { capabilities, uid: process.getuid?.() };
{
  await using mount = await createMount();
  await mkdir(join(mount.root, "gone"));
  await writeFile(join(mount.root, "theirs"), "before\n");
  const run = async (script: string, pids?: number): Promise<string> => {
    await using session = await backend.open({ mount, ...(pids === undefined ? {} : { limits: { pids } }) });
    return (await session.run({ kind: "shell", script }, { timeoutMs: 30_000 })).stdout;
  };
  found["seen"] = await run(
    "id -u; cat theirs; echo after >theirs; rmdir gone; mkdir made; stat -c %u:%g . theirs made",
  );
  const below = openUnionView({ root: mount.root, layers: [] });
  found["entries"] = (await scanUpper({ below, upper: mount.upper })).entries;
  found["work"] = await readdir(mount.work);
  found["started"] = Number(
    await run("for i in $(seq 60); do sleep 5 & done 2>/dev/null; jobs -p | wc -l; kill $(jobs -p)", 20),
  );
}
process.stdout.write(JSON.stringify(found));
