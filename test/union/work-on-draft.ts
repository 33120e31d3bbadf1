import { symlink } from "node:fs/promises";

import { scanUpper } from "../../src/union/scan-upper.ts";
import { openUnionDraft } from "../../src/union/union-draft.ts";
import { openUnionView } from "../../src/union/union-view.ts";
import { createWhiteoutMaker } from "../../src/union/whiteouts.ts";

// A program: does a bit of everything to a draft, or scans its upper directory, and prints what came of it. The tests run
// it as another user and under Node's permission model.
const [root = "", upper = "", devices = "", task = ""] = process.argv.slice(2);
const below = openUnionView({ root, layers: [] });

async function outcomeOf(operation: Promise<unknown>): Promise<string> {
  return operation.then(
    (value) => (value instanceof Uint8Array ? Buffer.from(value).toString() : JSON.stringify(value ?? "done")),
    (error: unknown) => (error instanceof Error ? error.message : "no error"),
  );
}

async function workOnDraft(): Promise<unknown> {
  const draft = openUnionDraft({
    below,
    upper,
    whiteouts: createWhiteoutMaker({ directory: devices }),
    makeLink: (target, hostPath) =>
      // A process that may make no links has somebody to ask; here it is enough to see that it asks.
      process.permission === undefined ? symlink(target, hostPath) : Promise.reject(new Error("asked for a link")),
  });
  const outcomes = [
    await outcomeOf(draft.readFile("d/one")),
    await outcomeOf(draft.readDirectory("")),
    await outcomeOf(draft.readFile("out")),
    await outcomeOf(draft.writeFile("d/new", "new", { mode: 0o600 })),
    await outcomeOf(draft.setMode("d/one", 0o700)),
    await outcomeOf(draft.rename("d", "moved")),
    await outcomeOf(draft.remove("file")),
    await outcomeOf(draft.makeSymlink("moved/one", "link")),
  ];
  return { outcomes, entries: draft.entries(), tree: await draft.readDirectory("moved") };
}

const result = task === "scan" ? await scanUpper({ below, upper }) : await workOnDraft();
process.stdout.write(JSON.stringify(result));
