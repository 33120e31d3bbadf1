import { link, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { lowersOf } from "../../src/sandbox/overlay/layers-on-disk.ts";
import { noKernelMounts, runInOverlay } from "../union/overlay-mount.ts";
import { makeFixture } from "./support/workspace-fixture.ts";

const HIDE = [".env*", "**/*.pem", "/vault/"];
const refused = (path: string): string =>
  `Cannot write "${path}": the policy hides this path, so that nothing can be made there; choose another path`;

function fill(root: string): void {
  for (const directory of ["config", "vault", "src"]) mkdirSync(`${root}/${directory}`);
  writeFileSync(`${root}/.env`, "TOKEN=secret\n");
  writeFileSync(`${root}/config/tls.PEM`, "secret key\n");
  writeFileSync(`${root}/config/app.json`, "{}\n");
  writeFileSync(`${root}/vault/a`, "secret\n");
  writeFileSync(`${root}/src/main.ts`, "main\n");
}

describe("a workspace with hidden paths", () => {
  test("shows nothing of them to read tools, by whatever name", async () => {
    await using fixture = await makeFixture(fill);
    await symlink(".env", `${fixture.root}/link`);
    await symlink("../vault", `${fixture.root}/src/up`);
    await using workspace = await fixture.open({ hide: HIDE });
    const view = await workspace.view();
    const names = async (path: string): Promise<readonly string[]> =>
      (await view.readDirectory(path)).map(({ name }) => name);
    expect(await names("")).toEqual(["config", "link", "src"]);
    expect(await names("config")).toEqual(["app.json"]);
    for (const path of [".env", "config/tls.PEM", "vault", "vault/a", "src/../.env", "link", "src/up/a"]) {
      await expect(view.readFile(path)).rejects.toThrow(
        `Cannot read "${path}": there is nothing at this path; list its directory to see what is there`,
      );
      await expect(view.stat(path)).rejects.toMatchObject({ reason: "not-found" });
    }
  });

  test("lets write tools make, move and remove nothing there", async () => {
    await using fixture = await makeFixture(fill);
    await using workspace = await fixture.open({ hide: HIDE });
    const draft = await workspace.beginLayer({ callId: "1" });
    const { files } = draft;
    await expect(files.writeFile(".env", "mine")).rejects.toThrow(refused(".env"));
    await expect(files.writeFile("vault/new/file", "mine")).rejects.toThrow(refused("vault"));
    await expect(files.makeDirectory("src/.envs")).rejects.toThrow(refused("src/.envs"));
    await expect(files.makeSymlink("main.ts", "src/x.pem")).rejects.toThrow(refused("src/x.pem"));
    await expect(files.rename("src/main.ts", "src/main.pem")).rejects.toThrow(refused("src/main.pem"));
    await expect(files.remove(".env")).rejects.toMatchObject({ reason: "not-found" });
    expect(await draft.keep()).toEqual({ outcome: "unchanged" });
    expect(await readFile(`${fixture.root}/.env`, "utf8")).toBe("TOKEN=secret\n");
  });

  test("does not land the removal of a directory with more in it than the tool saw", async () => {
    await using fixture = await makeFixture(fill);
    await using workspace = await fixture.open({ hide: HIDE });
    const draft = await workspace.beginLayer({ callId: "1" });
    await draft.files.rename("config", "settings");
    await draft.keep();
    expect((await workspace.changes()).map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      "deleted config",
      "deleted config/app.json",
      "added settings",
      "added settings/app.json",
    ]);
    const landing = await workspace.land();
    expect(landing.heldBack.map(({ path }) => path)).toEqual(["config", "config/tls.PEM"]);
    expect(await readFile(`${fixture.root}/config/tls.PEM`, "utf8")).toBe("secret key\n");
    expect(existsSync(`${fixture.root}/settings/app.json`)).toBe(true);
    expect((await workspace.changes()).map(({ path }) => path)).toEqual(["config"]);
  });

  test("keeps what was pending at a path before it was hidden, and shows it to nobody", async () => {
    await using fixture = await makeFixture(fill);
    await using before = await fixture.open();
    const draft = await before.beginLayer({ callId: "1" });
    await draft.files.writeFile(".env", "TOKEN=pending\n");
    await draft.files.writeFile("notes", "notes\n");
    await draft.keep();
    await using workspace = await fixture.open({ hide: HIDE });
    expect((await workspace.changes()).map(({ path }) => path)).toEqual(["notes"]);
    expect(await workspace.diff()).not.toContain("TOKEN");
    await workspace.land();
    expect(await readFile(`${fixture.root}/.env`, "utf8")).toBe("TOKEN=secret\n");
    expect(await (await before.view()).readFile(".env")).toEqual(Buffer.from("TOKEN=pending\n"));
    await expect((await workspace.view()).readFile(".env")).rejects.toMatchObject({ reason: "not-found" });
  });

  test.skipIf(noKernelMounts !== undefined)(
    "masks them in a kernel mount, and keeps nothing that is made there",
    async () => {
      await using fixture = await makeFixture(fill);
      await using before = await fixture.open();
      const pending = await before.beginLayer({ callId: "1" });
      await pending.files.writeFile("src/pending.pem", "secret\n");
      await pending.keep();
      await using workspace = await fixture.open({ hide: HIDE });
      const draft = await workspace.beginLayer({ callId: "2" });
      const mount = await draft.mount();
      const layers = lowersOf(mount)
        .slice(0, -1)
        .toReversed()
        .map((upper) => ({ upper }));
      const script = `find . | LC_ALL=C sort; cat config/tls.PEM src/pending.pem 2>&1 || true
      rm -rf config; mkdir config vault; echo mine > config/mine; echo mine > .env; echo mine > vault/b; ln .env copy`;
      const shown = await runInOverlay({ root: fixture.root, layers, upper: mount.upper }, script);
      expect(shown.toString().split("\n")).toEqual([
        ".",
        "./config",
        "./config/app.json",
        "./src",
        "./src/main.ts",
        "cat: config/tls.PEM: No such file or directory",
        "cat: src/pending.pem: No such file or directory",
        "",
      ]);
      const reason = "the policy hides this path, so it was left out with all below it; choose another path";
      expect(await draft.rescan()).toEqual([
        { path: ".env", reason },
        { path: "vault", reason },
      ]);
      const kept = await draft.keep();
      expect(kept.outcome === "kept" && kept.changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
        "deleted config/app.json",
        "added config/mine",
        "added copy",
      ]);
      expect(existsSync(`${mount.hidden?.mask.upper}`)).toBe(false);
    },
  );

  test("finds for a mount what appeared, moved and went since the last one", async () => {
    await using fixture = await makeFixture(fill);
    await using workspace = await fixture.open({ hide: HIDE });
    const masked = async (): Promise<readonly string[]> => {
      const draft = await workspace.beginLayer({ callId: "1" });
      const { hidden } = await draft.mount();
      await draft.drop();
      return hidden?.mask.entries.map(({ path }) => path) ?? [];
    };
    expect(await masked()).toEqual([".env", "config/tls.PEM", "vault"]);
    await mkdir(`${fixture.root}/src/deep/er`, { recursive: true });
    await writeFile(`${fixture.root}/src/deep/er/.env.local`, "secret\n");
    await link(`${fixture.root}/.env`, `${fixture.root}/src/a.pem`);
    await rm(`${fixture.root}/config`, { recursive: true });
    expect(await masked()).toEqual([".env", "src/a.pem", "src/deep/er/.env.local", "vault"]);
  });
});
