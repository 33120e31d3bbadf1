import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";

import * as fc from "fast-check";
import { expect, test } from "vitest";

import { applyChanges, randomChange } from "../support/random-changes.ts";
import type { Tree, WorkspaceFixture } from "../support/workspace-fixture.ts";
import { makeFixture, readTree, readView } from "../support/workspace-fixture.ts";

test("diff() shows every kind of change as git does", async () => {
  await using fixture = await makeFixture((root) => {
    mkdirSync(`${root}/gone`);
    writeFileSync(`${root}/gone/one`, "one\n");
    writeFileSync(`${root}/edited`, "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    writeFileSync(`${root}/old name`, "moved content\n");
    writeFileSync(`${root}/script`, "#!/bin/sh\n");
    writeFileSync(`${root}/binary`, Buffer.from([1, 0, 2]));
    writeFileSync(`${root}/latin`, Buffer.from("caf\u00e9\n", "latin1"));
    writeFileSync(`${root}/becomes-link`, "was a file\n");
    symlinkSync("edited", `${root}/link`);
  });
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  const { files } = draft;
  await files.remove("gone", { recursive: true });
  await files.writeFile("edited", "1\n2\n3\n4\n5\n6\n7\n8\nnine");
  await files.rename("old name", "new name");
  await files.setMode("script", 0o757);
  await files.writeFile("binary", Buffer.from([3, 0, 4]));
  await files.writeFile("latin", "caf\u00e9\n");
  await files.remove("becomes-link");
  await files.makeSymlink("target", "becomes-link");
  await files.remove("link");
  await files.makeSymlink("elsewhere", "link");
  await files.writeFile("empty", "");
  await files.makeDirectory("empty-directory");
  await files.writeFile("crlf", "a\r\nb\r\n");
  await files.writeFile('\u00fc"\t\u{dcff}', "odd name\n", { mode: 0o600 });
  await draft.keep();

  expect(await workspace.diff()).toBe(
    [
      "diff --git a/becomes-link b/becomes-link",
      "deleted file mode 100644",
      "index 5125a28..0000000",
      "--- a/becomes-link",
      "+++ /dev/null",
      "@@ -1 +0,0 @@",
      "-was a file",
      "diff --git a/becomes-link b/becomes-link",
      "new file mode 120000",
      "index 0000000..1de5659",
      "--- /dev/null",
      "+++ b/becomes-link",
      "@@ -0,0 +1 @@",
      "+target",
      "\\ No newline at end of file",
      "diff --git a/binary b/binary",
      "index c3027df..55292f4 100644",
      "Binary files a/binary and b/binary differ",
      "diff --git a/crlf b/crlf",
      "new file mode 100644",
      "index 0000000..c30dea8",
      "--- /dev/null",
      "+++ b/crlf",
      "@@ -0,0 +1,2 @@",
      "+a\r",
      "+b\r",
      "diff --git a/edited b/edited",
      "index 0719398..1d242bf 100644",
      "--- a/edited",
      "+++ b/edited",
      "@@ -6,4 +6,4 @@",
      " 6",
      " 7",
      " 8",
      "-9",
      "+nine",
      "\\ No newline at end of file",
      "diff --git a/empty b/empty",
      "new file mode 100644",
      "index 0000000..e69de29",
      "diff --git a/gone/one b/gone/one",
      "deleted file mode 100644",
      "index 5626abf..0000000",
      "--- a/gone/one",
      "+++ /dev/null",
      "@@ -1 +0,0 @@",
      "-one",
      "diff --git a/latin b/latin",
      "index 6f83395..572eb43 100644",
      "Binary files a/latin and b/latin differ",
      "diff --git a/link b/link",
      "index deb1bc2..f98eb10 120000",
      "--- a/link",
      "+++ b/link",
      "@@ -1 +1 @@",
      "-edited",
      "\\ No newline at end of file",
      "+elsewhere",
      "\\ No newline at end of file",
      "diff --git a/old name b/new name",
      "similarity index 100%",
      "rename from old name",
      "rename to new name",
      "diff --git a/script b/script",
      "old mode 100644",
      "new mode 100757",
      'diff --git "a/\\303\\274\\"\\t\\377" "b/\\303\\274\\"\\t\\377"',
      "new file mode 100600",
      "index 0000000..9b14b03",
      "--- /dev/null",
      '+++ "b/\\303\\274\\"\\t\\377"',
      "@@ -0,0 +1 @@",
      "+odd name",
      "",
    ].join("\n"),
  );
});

test("diff() of a selection shows a rename of which only one half is selected as what it is", async () => {
  await using fixture = await makeFixture((root) => writeFileSync(`${root}/old`, "content\n"));
  await using workspace = await fixture.open();
  const draft = await workspace.beginLayer({ callId: "call-1" });
  await draft.files.rename("old", "new");
  await draft.keep();

  expect(await workspace.diff({ paths: ["new"] })).toBe(
    [
      "diff --git a/new b/new",
      "new file mode 100644",
      "index 0000000..d95f3ad",
      "--- /dev/null",
      "+++ b/new",
      "@@ -0,0 +1 @@",
      "+content",
      "",
    ].join("\n"),
  );
});

test("git apply makes of the root what the view shows, for any changes", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(randomChange, { maxLength: 8 }),
      fc.array(randomChange, { minLength: 1, maxLength: 8 }),
      async (base, changes) => {
        await using fixture = await makeFixture();
        await using workspace = await fixture.open();
        for (const [index, each] of [base.filter(isText), changes.filter(isText)].entries()) {
          const draft = await workspace.beginLayer({ callId: `call-${index}` });
          await applyChanges(draft.files, each);
          await draft.keep();
          if (index === 0 && (await workspace.changes()).length > 0) await workspace.land();
        }
        const shown = await readView(await workspace.view());
        applyWithGit(fixture, await workspace.diff());
        expect(asGitSees(readTree(`${fixture.base}/copy`))).toEqual(asGitSees(shown));
      },
    ),
    { numRuns: 40 },
  );
});

test("git apply makes the new text of the old one, for any lines", async () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "", "\r", "\u2028", "-", "+", "\\ No newline at end of file", "@@ -1 +1 @@"), {
      maxLength: 30,
    })
    .chain((lines) => fc.constantFrom("", "\n").map((end) => lines.join("\n") + end));
  await fc.assert(
    fc.asyncProperty(text, text, async (before, after) => {
      await using fixture = await makeFixture((root) => writeFileSync(`${root}/file`, before));
      await using workspace = await fixture.open();
      const draft = await workspace.beginLayer({ callId: "call-1" });
      await draft.files.writeFile("file", after);
      await draft.keep();
      applyWithGit(fixture, await workspace.diff());
      expect(readTree(`${fixture.base}/copy`)["file"]).toBe((await readView(await workspace.view()))["file"]);
    }),
    { numRuns: 40 },
  );
});

/** Binary content is named in a diff and not shown. */
function isText(change: { readonly kind: string; readonly content?: string }): boolean {
  return !change.content?.includes("\u0000");
}

function applyWithGit(fixture: WorkspaceFixture, diff: string): void {
  const copy = `${fixture.base}/copy`;
  cpSync(fixture.root, copy, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  chmodSync(copy, 0o755);
  if (diff === "") return;
  execFileSync("git", ["apply", "--whitespace=nowarn", "-"], {
    cwd: copy,
    input: diff,
    env: { ...process.env, GIT_CEILING_DIRECTORIES: fixture.base, GIT_CONFIG_NOSYSTEM: "1", HOME: fixture.base },
    stdio: ["pipe", "pipe", "ignore"],
  });
}

/** Without directories, and of a mode only the bit that git keeps. */
function asGitSees(tree: Tree): Tree {
  const seen = Object.entries(tree)
    .filter(([, entry]) => !entry.startsWith("directory"))
    .map(([path, entry]) => [
      path,
      entry.replace(/^file (\d)\d\d/, (_, owner: string) => (Number(owner) & 1 ? "file +x" : "file")),
    ]);
  return Object.fromEntries(seen);
}
