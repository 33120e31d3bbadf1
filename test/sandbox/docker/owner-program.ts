import { setTimeout as delay } from "node:timers/promises";

import { createDockerBackend } from "../../../src/sandbox/docker/docker-backend.ts";
import { currentOwner, formatOwner } from "../../../src/state/owner.ts";
import { TEST_IMAGE } from "./test-image.ts";
import { createMount } from "../test-mount.ts";
import { noLifeline } from "./fixture.ts";

/*
 * A program that opens a sandbox and runs a command that does not end, to be killed meanwhile. It prints its owner name and
 * the directory of its layer once the command runs. With the argument `unwatched`, nobody watches over it.
 */

const owner = currentOwner();
const isWatched = process.argv[2] !== "unwatched";
const mount = await createMount();
const backend = createDockerBackend({ owner, image: TEST_IMAGE, ...(isWatched ? {} : { lifeline: noLifeline }) });
const session = await backend.open({ mount });
void session.run(
  { kind: "shell", script: "trap '' TERM; echo running; sleep 600" },
  {
    timeoutMs: 600_000,
    onOutput: () =>
      process.stdout.write(`${JSON.stringify({ owner: formatOwner(owner), directory: mount.directory })}\n`),
  },
);
await delay(600_000);
