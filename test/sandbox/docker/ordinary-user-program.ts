import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { testBackend } from "./fixture.ts";

/*
 * A program that an ordinary user of the group `docker` runs: it makes a layer in which something is deleted and prints
 * what is on the disk once the session is closed. It ends with an error when it cannot remove that.
 */

const directory = await mkdtemp(join(tmpdir(), "cofferdam-test-"));
const [root, upper, work] = [join(directory, "root"), join(directory, "upper"), join(directory, "work")];
for (const each of [root, upper, work]) await mkdir(each);
await writeFile(join(root, "theirs"), "");
let stdout: string;
{
  await using session = await testBackend().open({ mount: { root, upper, work, lowers: [] } });
  const script = "id -u; rm theirs; echo >kept";
  ({ stdout } = await session.run({ kind: "shell", script }, { timeoutMs: 30_000 }));
}
const left = { uid: process.getuid?.(), stdout, upper: await readdir(upper), work: await readdir(work) };
await rm(directory, { recursive: true });
process.stdout.write(JSON.stringify(left));
