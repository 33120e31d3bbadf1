import type { WriteContext } from "../contract/tool.ts";
import { callTool } from "./call-tool.ts";
import { guardWritable } from "./guard-workspace.ts";
import type { Route } from "./route.ts";

/** A write tool runs in-process; everything it changes goes to a fresh layer. */
export const runWrite: Route = async ({ tool, input, context, workspace }) => {
  const draft = await workspace.beginLayer({ callId: context.callId });
  try {
    const files = guardWritable(draft.files, context.signal);
    const outcome = await callTool(tool, input, { ...context, workspace: files } satisfies WriteContext);
    return { how: "returned", outcome, draft, facts: {} };
  } catch (error) {
    await draft.drop();
    throw error;
  }
};
