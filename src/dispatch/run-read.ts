import type { ReadContext } from "../contract/tool.ts";
import { callTool } from "./call-tool.ts";
import { guardReadable } from "./guard-workspace.ts";
import type { Route } from "./route.ts";

/** A read tool runs in-process, on a view that has no method to change anything. */
export const runRead: Route = async ({ tool, input, context, view: openView }) => {
  const view = guardReadable(await openView(), context.signal);
  const readContext: ReadContext = { ...context, workspace: view };
  const outcome = await callTool(tool, input, readContext);
  return { how: "returned", outcome, facts: {} };
};
