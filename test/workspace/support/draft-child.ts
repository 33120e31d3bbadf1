/** Begins a layer, writes to it, and either dies or keeps it. */
import { openWorkspace } from "../../../src/workspace/workspace.ts";

const [root = "", stateHome = "", action = "", path = ""] = process.argv.slice(2);
await using workspace = await openWorkspace({ root, stateHome });
const draft = await workspace.beginLayer({ callId: `child-${action}` });
await draft.files.writeFile(path, "by a child\n");
if (action === "die") process.kill(process.pid, "SIGKILL");
await draft.keep();
