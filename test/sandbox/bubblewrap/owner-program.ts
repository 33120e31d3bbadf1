import { setTimeout as delay } from "node:timers/promises";

import { createBubblewrapBackend } from "../../../src/sandbox/bubblewrap/bubblewrap-backend.ts";
import { createMount } from "../test-mount.ts";

/*
 * A program that runs a command which does not end, to be killed meanwhile. Its argument is a word by which the command's
 * processes can be found. It prints the directory of its layer once the command runs.
 */

const marker = process.argv[2] ?? "";
const mount = await createMount();
const session = await createBubblewrapBackend().open({ mount });
void session.run(
  {
    kind: "shell",
    script: `trap '' TERM; setsid bash -c ': ${marker}; sleep 600; :' & : ${marker}; echo; sleep 600; :`,
  },
  { timeoutMs: 600_000, onOutput: () => process.stdout.write(`${mount.directory}\n`) },
);
await delay(600_000);
