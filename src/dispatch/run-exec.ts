import type { ExecContext, ToolOutcome } from "../contract/tool.ts";
import { workspaceFull } from "../errors/messages/dispatch.ts";
import { callTool } from "./call-tool.ts";
import { ExecSandbox } from "./exec-sandbox.ts";
import { guardReadable } from "./guard-workspace.ts";
import type { Route, RouteRun } from "./route.ts";
import { RoomWatch } from "./watch-room.ts";
import type { LayerDraft } from "../workspace/layer-draft.ts";

/** An exec tool's own code runs in-process; every command it gives runs in a sandbox, on a fresh layer. */
export const runExec: Route = async (run) => {
  const draft = await run.beginLayer();
  try {
    return await runOnLayer(run, draft);
  } catch (error) {
    await draft.drop();
    throw error;
  }
};

async function runOnLayer(run: RouteRun, draft: LayerDraft): ReturnType<Route> {
  using room = new RoomWatch(draft);
  const sandbox = new ExecSandbox(run, { mount: () => draft.mount(), stop: room.signal });
  try {
    const view = guardReadable(() => draft.files.view, run.time);
    const context: ExecContext = run.contextWith({ workspace: view, sandbox });
    const outcome = await callTool(run, context);
    // Before the layer is read back, nothing may be left that still writes to it.
    await sandbox[Symbol.asyncDispose]();
    if (sandbox.touchedLayer && (await room.wasExceeded())) return await dropFull(draft, { outcome, sandbox });
    const refused = sandbox.touchedLayer ? await draft.rescan(sandbox.reportedEntries()) : [];
    const facts = refused.length === 0 ? sandbox.facts() : { ...sandbox.facts(), refused };
    return { how: "returned", outcome, facts, draft };
  } finally {
    await sandbox[Symbol.asyncDispose]();
  }
}

/** Whatever the tool makes of the command that was stopped, there is one reason, and nothing to keep. */
async function dropFull(
  draft: LayerDraft,
  { outcome, sandbox }: { readonly outcome: ToolOutcome; readonly sandbox: ExecSandbox },
): ReturnType<Route> {
  await draft.drop();
  // How the command was stopped is not how it failed.
  const { termination: _stopped, ...facts } = sandbox.facts();
  const failure: ToolOutcome = { success: false, error: workspaceFull(), errorKind: "business" };
  return {
    how: "returned",
    outcome: outcome.output === undefined ? failure : { ...failure, output: outcome.output },
    facts,
  };
}
