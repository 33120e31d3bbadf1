import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { ConfigurationError } from "../../src/errors/configuration-error.ts";
import { StateError } from "../../src/errors/state-error.ts";
import { openStateDirectory, resolveStateHome } from "../../src/state/state-directory.ts";

let base = "";
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-state-")));
  mkdirSync(`${base}/root`);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

test.each([
  [{ COFFERDAM_STATE: "/explicit", XDG_STATE_HOME: "/xdg", HOME: "/home/a" }, "/explicit"],
  [{ COFFERDAM_STATE: "", XDG_STATE_HOME: "/xdg", HOME: "/home/a" }, "/xdg/cofferdam"],
  [{ XDG_STATE_HOME: "relative", HOME: "/home/a" }, "/home/a/.local/state/cofferdam"],
  [{}, join(homedir(), ".local/state/cofferdam")],
])("resolveStateHome(%j) is %s", (env, expected) => {
  expect(resolveStateHome(env)).toBe(expected);
});

test("resolveStateHome() refuses a relative COFFERDAM_STATE", () => {
  expect(() => resolveStateHome({ COFFERDAM_STATE: "state" })).toThrow(
    new ConfigurationError('Cannot keep state in "state": COFFERDAM_STATE is a relative path; give an absolute one'),
  );
});

test.each([
  ["a file", () => `${base}/file`, /\/file\/roots\/[^"]+": it exists and is not a directory;/],
  [
    "below a file",
    () => `${base}/file/below`,
    /\/below\/roots\/[^"]+": (it exists|a part of the path) .*not a directory;/,
  ],
  ["in /proc", () => "/proc/cofferdam", /\/roots\/[^"]+": the system makes no directories there;/],
])("openStateDirectory() says why it cannot keep state in %s", async (_title, stateHome, message) => {
  writeFileSync(`${base}/file`, "");
  const opening = openStateDirectory({ stateHome: stateHome(), root: `${base}/root` });
  await expect(opening).rejects.toThrow(StateError);
  await expect(opening).rejects.toThrow(message);
  await expect(opening).rejects.toThrow(/; set COFFERDAM_STATE to a directory that you can write$/);
});

test("openStateDirectory() makes a private directory that every name of the root leads to", async () => {
  symlinkSync(`${base}/root`, `${base}/alias`);
  const directory = await openStateDirectory({ stateHome: `${base}/state`, root: `${base}/root` });
  const digest = /-([0-9a-f]{16})$/.exec(directory.path)?.[1] ?? "";

  expect(directory).toEqual({
    root: `${base}/root`,
    path: `${base}/state/roots/root-${digest}`,
    layers: `${base}/state/roots/root-${digest}/layers`,
    landings: `${base}/state/roots/root-${digest}/landings`,
    preimages: `${base}/state/roots/root-${digest}/preimages`,
    seats: `${base}/state/roots/root-${digest}/seats`,
    outputs: `${base}/state/roots/root-${digest}/outputs`,
  });
  expect(statSync(directory.path).mode & 0o777).toBe(0o700);
  expect(await openStateDirectory({ stateHome: `${base}/state`, root: `${base}/alias/.` })).toEqual(directory);
});

test("openStateDirectory() tells roots of one name apart", async () => {
  mkdirSync(`${base}/other/root`, { recursive: true });
  const one = await openStateDirectory({ stateHome: `${base}/state`, root: `${base}/root` });
  const other = await openStateDirectory({ stateHome: `${base}/state`, root: `${base}/other/root` });
  expect(one.path).not.toBe(other.path);
});

test("openStateDirectory() refuses what cannot be a root, and a root and a state home in one another", async () => {
  writeFileSync(`${base}/file`, "");
  symlinkSync(`${base}/root`, `${base}/alias`);
  const open = async (root: string, stateHome: string): Promise<unknown> => openStateDirectory({ root, stateHome });

  await expect(open(`${base}/missing`, `${base}/state`)).rejects.toThrow(
    new ConfigurationError(`Cannot open root "${base}/missing": it does not exist; name an existing directory`),
  );
  await expect(open(`${base}/file`, `${base}/state`)).rejects.toThrow(
    new ConfigurationError(
      `Cannot open root "${base}/file": it is not a directory; name the directory that holds the files`,
    ),
  );
  const inside = new ConfigurationError(
    `Cannot keep state in "${base}/root/state": it lies inside the root "${base}/root"; set COFFERDAM_STATE to a directory outside it`,
  );
  await expect(open(`${base}/root`, `${base}/root/state`)).rejects.toThrow(inside);
  await expect(open(`${base}/root`, `${base}/alias/state`)).rejects.toThrow(inside);
  await expect(open(`${base}/root`, base)).rejects.toThrow(
    new ConfigurationError(
      `Cannot open root "${base}/root": it lies inside the state directory "${base}"; name a directory outside it`,
    ),
  );
  await expect(open(`${base}/root`, `${base}/root-state`)).resolves.toBeDefined();
});
