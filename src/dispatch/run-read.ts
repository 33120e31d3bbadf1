import type { ReadContext } from "../contract/tool.ts";
import type { UnionView } from "../union/union-view.ts";
import { callTool } from "./call-tool.ts";
import { guardReadable } from "./guard-workspace.ts";
import type { Route } from "./route.ts";

/**
 * A read tool runs in-process, on a view that has no method to change anything. The view is opened by the tool's first
 * look at it: one that asks a service and never reads a file does not pay for it.
 */
export const runRead: Route = async (run) => {
  const { time, view: openView } = run;
  let opened: Promise<UnionView> | undefined;
  const view = guardReadable(() => (opened ??= openView()), time);
  const readContext: ReadContext = run.contextWith({ workspace: view });
  const outcome = await callTool(run, readContext);
  return { how: "returned", outcome, facts: {} };
};
