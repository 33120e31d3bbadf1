import type { WriteContext } from "../contract/tool.ts";
import { callTool } from "./call-tool.ts";
import { guardWritable } from "./guard-workspace.ts";
import type { Route } from "./route.ts";

/** A write tool runs in-process; everything it changes goes to a fresh layer. */
export const runWrite: Route = async (run) => {
  const draft = await run.beginLayer();
  try {
    const workspace = guardWritable(draft.files, run.time);
    const writeContext: WriteContext = run.contextWith({ workspace });
    const outcome = await callTool(run, writeContext);
    return { how: "returned", outcome, draft, facts: {} };
  } catch (error) {
    await draft.drop();
    throw error;
  }
};
