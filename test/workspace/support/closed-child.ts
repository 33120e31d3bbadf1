/**
 * Lands and undoes changes in and of closed directories, as an ordinary user, and prints the trees. Run as root it would
 * show nothing, because root may do everything.
 */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";

import { openWorkspace } from "../../../src/workspace/workspace.ts";
import { readTree } from "./workspace-fixture.ts";

const [base = ""] = process.argv.slice(2);
const root = `${base}/root`;
mkdirSync(`${root}/opened`, { recursive: true });
mkdirSync(`${root}/removed`);
writeFileSync(`${root}/opened/file`, "before");
writeFileSync(`${root}/removed/file`, "before");
chmodSync(`${root}/opened`, 0o555);
chmodSync(`${root}/removed`, 0o500);
const trees = [readTree(root)];
await using workspace = await openWorkspace({ root, stateHome: `${base}/state` });
const draft = await workspace.beginLayer({ callId: "call-1" });
await draft.files.setMode("opened", 0o755);
await draft.files.writeFile("opened/file", "after");
await draft.files.remove("removed", { recursive: true });
await draft.files.writeFile("closed/file", "new");
await draft.files.setMode("closed", 0o555);
await draft.files.writeFile("other", "other");
await draft.keep();
await workspace.land({ paths: ["other"] });
await workspace.land();
trees.push(readTree(root));
await workspace.undo();
trees.push(readTree(root));
process.stdout.write(JSON.stringify(trees));
