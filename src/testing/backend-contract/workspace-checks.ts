import { deepEqual, equal, ok } from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { BackendCheck } from "./backend-check.ts";
import { exited, outcomeOf } from "./run-command.ts";
import { createScratchLayer } from "./scratch-layer.ts";

const FILES = { greeting: "hello\n", "deep/er/file": "before\n", gone: "x" };

/** What a command makes of the workspace, and what comes of it in the layer. */
export const workspaceChecks: readonly BackendCheck[] = [
  {
    name: "run() sees the files of the root",
    needs: ["shell", "workspace"],
    async run({ backend }) {
      await using layer = await createScratchLayer(FILES);
      const { execution, entries } = await layer.run(backend, "pwd; ls; cat greeting deep/er/file");
      deepEqual(outcomeOf(execution), exited(0, { stdout: "/workspace\ndeep\ngone\ngreeting\nhello\nbefore\n" }));
      deepEqual(entries, []);
    },
  },
  {
    name: "run() writes to the layer, and nothing to the root",
    needs: ["shell", "workspace"],
    async run({ backend }) {
      await using layer = await createScratchLayer(FILES);
      const script = "echo new >>greeting; rm gone; echo x >deep/new; mkdir -p made/by";
      const { entries, view } = await layer.run(backend, script);
      deepEqual(
        entries.map((entry) => (entry.op === "put" ? `${entry.type} ${entry.path}` : `no ${entry.path}`)),
        ["file deep/new", "no gone", "file greeting", "directory made", "directory made/by"],
      );
      equal(Buffer.from(await view.readFile("greeting")).toString(), "hello\nnew\n");
      equal(await readFile(join(layer.mount.root, "greeting"), "utf8"), "hello\n");
      deepEqual((await readdir(layer.mount.root)).toSorted(), ["deep", "gone", "greeting"]);
    },
  },
  {
    name: "run() makes no change of what is the same as before",
    needs: ["shell", "workspace"],
    async run({ backend }) {
      await using layer = await createScratchLayer(FILES);
      const script = "cp greeting /tmp/g; rm greeting; cp /tmp/g greeting; touch gone; echo done";
      const { execution, entries } = await layer.run(backend, script);
      deepEqual([execution.stdout, entries], ["done\n", []]);
    },
  },
  {
    name: "run() keeps the workspace from one command of a session to the next",
    needs: ["shell", "workspace"],
    async run({ backend }) {
      await using layer = await createScratchLayer(FILES);
      await using session = await backend.open({ mount: layer.mount });
      await session.run({ kind: "shell", script: "echo one >left; rm gone" }, { timeoutMs: 60_000 });
      const { stdout } = await session.run({ kind: "shell", script: "ls; cat left" }, { timeoutMs: 60_000 });
      equal(stdout, "deep\ngreeting\nleft\none\n");
    },
  },
  {
    name: "open() shows the kept layers over the root, with what they deleted gone",
    needs: ["shell", "workspace"],
    async run({ backend }) {
      await using layer = await createScratchLayer(FILES);
      const first = await layer.run(backend, "echo first >greeting; rm -r deep; mkdir deep; echo new >deep/new");
      await layer.keep(first.entries);
      const { execution, entries } = await layer.run(backend, "cat greeting; ls deep; rm gone");
      deepEqual([execution.stdout, entries], ["first\nnew\n", [{ op: "delete", path: "gone" }]]);
    },
  },
  {
    name: "run() carries files of any bytes",
    needs: ["shell", "workspace"],
    async run({ backend }) {
      await using layer = await createScratchLayer();
      const stdin = Buffer.from(Array.from({ length: 1_000_000 }, (_, index) => (index * 7) % 256));
      const { view } = await layer.run(backend, "cat >data; cp data copy", { stdin });
      ok(Buffer.from(await view.readFile("copy")).equals(stdin), "other bytes came back");
    },
  },
  {
    name: "run() carries names with newlines, quotes, spaces, stars, leading dashes and letters of any script",
    needs: ["shell", "workspace"],
    async run({ backend }) {
      await using layer = await createScratchLayer({ "-rf": "1", "new\nline": "2", 'it\'s "odd" *': "3" });
      const script = `cat ./-rf 'new\nline' "it's \\"odd\\" *"; rm ./-rf; mv 'new\nline' 'é 漢字'`;
      const { execution, entries } = await layer.run(backend, script);
      equal(execution.stdout, "123");
      deepEqual(
        entries.map((entry) => `${entry.op} ${entry.path}`),
        ["delete -rf", "delete new\nline", "put é 漢字"],
      );
    },
  },
  {
    name: "run() carries names that are not UTF-8",
    needs: ["shell", "programs", "workspace"],
    async run({ backend }) {
      await using layer = await createScratchLayer();
      const { entries } = await layer.run(backend, String.raw`touch "$(printf 'raw\377')"`);
      deepEqual(
        entries.map((entry) => `${entry.op} ${entry.path}`),
        ["put raw\udcff"],
      );
    },
  },
  {
    name: "run() carries modes and symlinks",
    needs: ["shell", "workspace"],
    async run({ backend }) {
      await using layer = await createScratchLayer(FILES);
      const { view } = await layer.run(backend, "chmod 755 greeting; ln -s ../outside link");
      equal(((await view.lstat("greeting")).mode & 0o777).toString(8), "755");
      equal(await view.readLink("link"), "../outside");
    },
  },
  {
    name: "run() follows no symlink out to the host",
    needs: ["shell", "workspace"],
    async run({ backend }) {
      const outside = await mkdtemp(join(tmpdir(), "cofferdam-contract-"));
      try {
        await writeFile(join(outside, "secret"), "secret of the host");
        await using layer = await createScratchLayer(FILES);
        const script = `ln -s ${outside} way; cat way/secret 2>&1; cat greeting; cp greeting way/planted 2>/dev/null`;
        const { stdout } = (await layer.run(backend, script)).execution;
        ok(stdout.endsWith("hello\n") && !stdout.includes("secret of the host"), stdout);
        deepEqual(await readdir(outside), ["secret"]);
      } finally {
        await rm(outside, { recursive: true });
      }
    },
  },
  {
    name: "run() in two sessions on two layers shows neither what the other does",
    needs: ["shell", "workspace"],
    async run({ backend }) {
      await using one = await createScratchLayer(FILES);
      await using other = await createScratchLayer(FILES);
      const runs = await Promise.all([
        one.run(backend, "echo one >mine; sleep 0.3; ls"),
        other.run(backend, "echo other >theirs; sleep 0.3; ls"),
      ]);
      deepEqual(
        runs.map(({ execution }) => execution.stdout),
        ["deep\ngone\ngreeting\nmine\n", "deep\ngone\ngreeting\ntheirs\n"],
      );
    },
  },
  {
    name: "run() keeps what a command did that failed",
    needs: ["shell", "workspace"],
    async run({ backend }) {
      await using layer = await createScratchLayer(FILES);
      const { execution, entries } = await layer.run(backend, "rm gone; exit 4");
      deepEqual([execution.exitCode, entries], [4, [{ op: "delete", path: "gone" }]]);
    },
  },
  {
    name: "run() changes nothing any more once a command was stopped",
    needs: ["shell", "workspace"],
    async run({ backend }) {
      await using layer = await createScratchLayer();
      const script = "while :; do echo x >>count; done";
      const { execution, view } = await layer.run(backend, script, { timeoutMs: 2_000 });
      equal(execution.exitCode, null);
      const before = await view.readDirectory("");
      await new Promise((resolve) => void setTimeout(resolve, 200));
      deepEqual(await view.readDirectory(""), before);
    },
  },
  {
    name: "dispose() leaves the work directory empty",
    needs: ["shell", "workspace"],
    async run({ backend }) {
      await using layer = await createScratchLayer(FILES);
      const { entries } = await layer.run(backend, "rm gone");
      deepEqual([entries.length, await readdir(layer.mount.work)], [1, []]);
    },
  },
];
