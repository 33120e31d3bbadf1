import type { ReadContext } from "../contract/tool.ts";
import { callTool } from "./call-tool.ts";
import { guardReadable } from "./guard-workspace.ts";
import type { Route } from "./route.ts";

/** A read tool runs in-process, on a view that has no method to change anything. */
export const runRead: Route = async ({ tool, input, context, workspace }) => {
  const view = guardReadable(await workspace.view(), context.signal);
  const outcome = await callTool(tool, input, { ...context, workspace: view } satisfies ReadContext);
  return { how: "returned", outcome, facts: {} };
};
