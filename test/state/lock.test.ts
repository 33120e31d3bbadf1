import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { StateError } from "../../src/errors/state-error.ts";
import { acquireLock } from "../../src/state/lock.ts";

const LOCK_MODULE = new URL("../../src/state/lock.ts", import.meta.url).href;

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "cofferdam-lock-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test("acquireLock() lets one in at a time, within one process", async () => {
  let inside = 0;
  let most = 0;
  const enter = async (): Promise<void> => {
    await using _lock = await acquireLock({ directory });
    inside += 1;
    most = Math.max(most, inside);
    await new Promise((resolve) => setImmediate(resolve));
    inside -= 1;
  };
  await Promise.all(Array.from({ length: 10 }, enter));
  expect(most).toBe(1);
});

test("acquireLock() names the process that holds the lock, and gets it when that process is killed", async () => {
  const holder = spawn(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      `const { acquireLock } = await import(${JSON.stringify(LOCK_MODULE)});
       await acquireLock({ directory: ${JSON.stringify(directory)} });
       console.log("held");
       setInterval(() => {}, 60_000);`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  await once(holder.stdout, "data");

  await expect(acquireLock({ directory, waitMs: 30 })).rejects.toThrow(
    new StateError(
      `Cannot lock the workspace state: process ${holder.pid} held it for 30 ms; try again when it has ended`,
    ),
  );
  const waiting = acquireLock({ directory });
  holder.kill("SIGKILL");
  await (await waiting)[Symbol.asyncDispose]();
});

test("acquireLock() stops waiting when it is aborted", async () => {
  await using _lock = await acquireLock({ directory });
  const controller = new AbortController();
  const waiting = acquireLock({ directory, signal: controller.signal });
  controller.abort();
  await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
});

test("a lock can be disposed of twice", async () => {
  const lock = await acquireLock({ directory });
  await lock[Symbol.asyncDispose]();
  await lock[Symbol.asyncDispose]();
  await using next = await acquireLock({ directory, waitMs: 0 });
  expect(next).not.toBe(lock);
});
