import type { StartPrefilter } from "../contract/prefilter.ts";
import type { ReadContext } from "../contract/tool.ts";
import type { UnionView } from "../union/union-view.ts";
import { startRipgrep } from "../tools/ripgrep/start-ripgrep.ts";
import { callTool } from "./call-tool.ts";
import { guardReadable } from "./guard-workspace.ts";
import type { Route } from "./route.ts";

/**
 * A read tool runs in-process, on a view that has no method to change anything. The view is opened by the tool's first
 * look at it: one that asks a service and never reads a file does not pay for it. Another one is opened when a call that the
 * tool made has ended, so that the tool sees what that did.
 */
export const runRead: Route = async (run) => {
  const { time, findRipgrep, view: openView, nestedEnded } = run;
  let opened: { readonly view: Promise<UnionView>; readonly after: number } | undefined;
  const view = (): Promise<UnionView> => {
    const after = nestedEnded();
    if (opened?.after !== after) opened = { view: openView(), after };
    return opened.view;
  };
  const startPrefilter: StartPrefilter = async (request) => {
    const program = await findRipgrep();
    return program === undefined ? undefined : startRipgrep({ program, view: await view() }, request);
  };
  const workspace = guardReadable(view, time);
  const readContext: ReadContext = run.contextWith({ workspace, startPrefilter });
  const outcome = await callTool(run, readContext);
  return { how: "returned", outcome, facts: {} };
};
