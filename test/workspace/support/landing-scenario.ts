import { chmodSync, linkSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";

import type { Workspace } from "../../../src/workspace/workspace.ts";

/** A root with one entry for each thing that a landing can do to it. */
export function fillScenarioRoot(root: string): void {
  mkdirSync(`${root}/gone/deep`, { recursive: true });
  mkdirSync(`${root}/becomes-file`);
  mkdirSync(`${root}/mode-directory`);
  writeFileSync(`${root}/gone/deep/file`, "deleted\n");
  writeFileSync(`${root}/becomes-file/inside`, "inside\n");
  writeFileSync(`${root}/becomes-directory`, "was a file\n");
  writeFileSync(`${root}/edited`, "before\n");
  writeFileSync(`${root}/hard-linked`, "two names\n");
  linkSync(`${root}/hard-linked`, `${root}/other-name`);
  writeFileSync(`${root}/script`, "#!/bin/sh\n");
  writeFileSync(`${root}/untouched`, "untouched\n");
  symlinkSync("edited", `${root}/link`);
  chmodSync(`${root}/edited`, 0o640);
  utimesSync(`${root}/edited`, 1_000_000_000, 1_000_000_000);
}

/** Keeps a layer that changes all of it. */
export async function keepScenarioLayer(workspace: Workspace): Promise<void> {
  const draft = await workspace.beginLayer({ callId: "scenario" });
  const { files } = draft;
  await files.remove("gone", { recursive: true });
  await files.remove("becomes-file", { recursive: true });
  await files.writeFile("becomes-file", "now a file\n");
  await files.remove("becomes-directory");
  await files.writeFile("becomes-directory/new", "in it\n");
  await files.writeFile("edited", "after\n");
  await files.writeFile("hard-linked", "one name\n");
  await files.setMode("script", 0o755);
  await files.setMode("mode-directory", 0o700);
  await files.remove("link");
  await files.makeSymlink("elsewhere", "link");
  await files.writeFile("new/directory/file", "new\n");
  await files.makeSymlink("../edited", "new/link");
  await draft.keep();
}
