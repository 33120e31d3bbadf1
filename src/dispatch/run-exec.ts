import type { ExecContext } from "../contract/tool.ts";
import { callTool } from "./call-tool.ts";
import { ExecSandbox } from "./exec-sandbox.ts";
import { guardReadable } from "./guard-workspace.ts";
import type { Route, RouteRun } from "./route.ts";
import type { LayerDraft } from "../workspace/layer-draft.ts";

/** An exec tool's own code runs in-process; every command it gives runs in a sandbox, on a fresh layer. */
export const runExec: Route = async (run) => {
  const draft = await run.beginLayer();
  try {
    return { ...(await runOnLayer(run, draft)), draft };
  } catch (error) {
    await draft.drop();
    throw error;
  }
};

async function runOnLayer(run: RouteRun, draft: LayerDraft): ReturnType<Route> {
  const sandbox = new ExecSandbox(run, () => draft.mount());
  try {
    const view = guardReadable(() => draft.files.view, run.time);
    const context: ExecContext = run.contextWith({ workspace: view, sandbox });
    const outcome = await callTool(run, context);
    // Before the layer is read back, nothing may be left that still writes to it.
    await sandbox[Symbol.asyncDispose]();
    const refused = sandbox.touchedLayer ? await draft.rescan(sandbox.reportedEntries()) : [];
    const facts = refused.length === 0 ? sandbox.facts() : { ...sandbox.facts(), refused };
    return { how: "returned", outcome, facts };
  } finally {
    await sandbox[Symbol.asyncDispose]();
  }
}
