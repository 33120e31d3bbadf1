/** Opens a workspace, does one thing to it, and kills itself at a numbered moment. Prints the moments it gets to. */
import { writeSync } from "node:fs";

import { openWorkspace } from "../../../src/workspace/workspace.ts";

const [root = "", stateHome = "", action = "", killAt = ""] = process.argv.slice(2);
let count = 0;
await using workspace = await openWorkspace({
  root,
  stateHome,
  onLandingMoment: ({ phase }) => {
    writeSync(1, `${phase}\n`);
    if (count === Number(killAt)) process.kill(process.pid, "SIGKILL");
    count += 1;
  },
});
if (action === "land") await workspace.land();
if (action === "undo") await workspace.undo();
