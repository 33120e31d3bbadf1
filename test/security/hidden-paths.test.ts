import { chownSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";

import { afterAll, expect, it } from "vitest";

import type { SandboxBackend } from "../../src/contract/sandbox.ts";
import { createBubblewrapBackend } from "../../src/sandbox/bubblewrap/bubblewrap-backend.ts";
import { createVirtualBackend } from "../../src/sandbox/virtual/virtual-backend.ts";
import { createEngine } from "../../src/engine.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";
import { describeWithBubblewrap } from "../sandbox/bubblewrap/fixture.ts";
import { describeWithEngine } from "../sandbox/docker/engine-available.ts";
import { assertNothingLeft, testBackend } from "../sandbox/docker/fixture.ts";
import { makeFixture } from "../workspace/support/workspace-fixture.ts";

/*
 * What a policy hides can be read in no lane, by no name, and nothing that is made in its place is kept. In a sandbox of its
 * own file system a command may write at such a path, and sees what it wrote; the in-process shell is refused.
 */

const SECRET = "the value of the secret";

const LOOK = `find . | LC_ALL=C sort
grep -rs "the value" . ; cat .env link vault/a src/../.env config/TLS.pem .ENV 2>/dev/null
cp -r . /tmp/all; grep -rs "the value" /tmp/all; cp .env copied 2>/dev/null; true`;

/** A file goes, one comes, a directory with something hidden in it is made anew, and hidden names are written to. */
const CHANGE = `rm -r config; mkdir config; echo new > config/new
mv src moved
(echo mine > .env) 2>/dev/null; (mkdir -p vault && echo mine > vault/b) 2>/dev/null; true`;

function fill(root: string): void {
  for (const directory of ["config", "vault", "src"]) mkdirSync(`${root}/${directory}`);
  for (const path of [".env", "config/TLS.pem", "vault/a", "src/.env.local"]) writeFileSync(`${root}/${path}`, SECRET);
  for (const path of ["config/old", "src/main"]) writeFileSync(`${root}/${path}`, "plain\n");
  symlinkSync(".env", `${root}/link`);
  if (process.getuid?.() !== 0) return;
  for (const path of ["", "config", "vault", "src", ".env", "config/TLS.pem", "vault/a", "src/.env.local"]) {
    chownSync(`${root}/${path}`, 1000, 1000);
  }
}

async function attack(backend: SandboxBackend): Promise<{
  readonly seen: readonly string[];
  readonly changes: readonly string[];
  readonly refused: readonly string[];
}> {
  await using fixture = await makeFixture(fill);
  await using workspace = await fixture.open({ hide: [".env*", "**/*.pem", "/vault"] });
  const draft = await workspace.beginLayer({ callId: "1" });
  const session = await backend.open({ mount: await draft.mount() });
  const run = async (script: string): Promise<string> =>
    (await session.run({ kind: "shell", script }, { timeoutMs: 60_000 })).stdout;
  const seen = (await run(LOOK)).trimEnd().split("\n");
  await run(CHANGE);
  const reported = session.reportedEntries?.() ?? [];
  await session[Symbol.asyncDispose]();
  const refused = (await draft.rescan(reported)).map(({ path }) => path);
  await draft.keep();
  const changes = (await workspace.changes()).map(({ kind, path }) => `${kind} ${path}`);
  await workspace.land();
  expect(existsSync(`${fixture.root}/src/.env.local`) && existsSync(`${fixture.root}/config/TLS.pem`)).toBe(true);
  return { seen, changes, refused };
}

const SEEN = [".", "./config", "./config/old", "./link", "./src", "./src/main"];
const CHANGES = [
  "added config/new",
  "deleted config/old",
  "added moved",
  "added moved/main",
  "deleted src",
  "deleted src/main",
];

it("hidden paths of the policies appear in no answer of a built-in tool", async () => {
  await using temporary = await temporaryEngine();
  fill(temporary.root);
  writeFileSync(`${temporary.root}/cofferdam.json`, JSON.stringify({ hide: ["/vault"] }));
  const { root, stateHome } = temporary;
  await using engine = await createEngine({ root, stateHome, policy: { hide: [".env*", "**/*.pem"] } });
  const answer = async (name: string, input: unknown): Promise<string> => {
    const result = await engine.dispatch({ id: "1", name, input });
    return result.success ? result.output : result.error;
  };
  expect(await answer("glob", { pattern: "**" })).toBe("cofferdam.json\nconfig/old\nlink\nsrc/main");
  expect(await answer("grep", { pattern: "the value|plain" })).not.toContain("the value");
  expect(await answer("list_files", { path: "vault" })).toContain("there is nothing at this path");
  expect(await answer("read_file", { path: "link" })).toContain("there is nothing at this path");
  expect(await answer("write_file", { path: "config/tls.pem", content: "mine" })).toBe(
    'Cannot write "config/tls.pem": the policy hides this path, so that nothing can be made there; choose another path',
  );
  expect(await engine.workspace.changes()).toEqual([]);
});

it("hidden paths cannot be read or made by commands in virtual", async () => {
  expect(await attack(createVirtualBackend())).toEqual({ seen: SEEN, changes: CHANGES, refused: [] });
});

describeWithEngine("hidden paths cannot be read, and what is made there is not kept", () => {
  afterAll(async () => {
    await assertNothingLeft();
  });

  it.each([
    ["docker by volume", testBackend()],
    ["docker by copy", testBackend({ workspace: "copy" })],
  ])("by commands in %s", async (_title, backend) => {
    expect(await attack(backend)).toEqual({ seen: SEEN, changes: CHANGES, refused: [".env", "vault"] });
  });
});

describeWithBubblewrap("hidden paths cannot be read, and what is made there is not kept", () => {
  it("by commands in bubblewrap", async () => {
    expect(await attack(createBubblewrapBackend())).toEqual({
      seen: SEEN,
      changes: CHANGES,
      refused: [".env", "vault"],
    });
  });
});
