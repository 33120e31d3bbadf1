/**
 * Keeps and lands a layer in which a guest closed things to their owner, as an ordinary user, and prints what was
 * refused, what the review shows and what landed. Run as root it would show nothing, because root may do everything.
 */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";

import { openWorkspace } from "../../../src/workspace/workspace.ts";
import { readTree } from "./workspace-fixture.ts";

const [base = ""] = process.argv.slice(2);
const root = `${base}/root`;
mkdirSync(root);
await using workspace = await openWorkspace({ root, stateHome: `${base}/state` });
const draft = await workspace.beginLayer({ callId: "call-1" });
const { upper } = draft.directories;
mkdirSync(`${upper}/listed-only/below`, { recursive: true });
writeFileSync(`${upper}/listed-only/below/file`, "1");
mkdirSync(`${upper}/closed`);
writeFileSync(`${upper}/closed/file`, "2");
mkdirSync(`${upper}/read-only`);
writeFileSync(`${upper}/read-only/file`, "3");
writeFileSync(`${upper}/secret`, "4");
chmodSync(`${upper}/listed-only`, 0o400);
chmodSync(`${upper}/closed`, 0o000);
chmodSync(`${upper}/read-only`, 0o555);
chmodSync(`${upper}/secret`, 0o000);
chmodSync(upper, 0o000);
const refused = await draft.rescan();
await draft.files.makeDirectory("by-a-tool");
await draft.files.writeFile("by-a-tool/file", "5");
await draft.files.setMode("by-a-tool/file", 0o000);
await draft.files.setMode("by-a-tool", 0o000);
await draft.keep();
const changes = (await workspace.changes()).map(({ path }) => path);
await workspace.land();
process.stdout.write(JSON.stringify({ refused, changes, tree: readTree(root) }));
