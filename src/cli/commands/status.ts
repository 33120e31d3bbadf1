import type { Command } from "commander";
import type { Change } from "../../contract/change.ts";
import type { LandingSummary } from "../../contract/landing.ts";
import type { CommandContext } from "../command-context.ts";
import { renderNextSteps } from "../land-changes.ts";
import { newCommand, withRoot } from "../new-command.ts";
import { escapeText } from "../terminal/escape-text.ts";
import { notify } from "../terminal/notify.ts";
import { countChanges, renderChanges } from "../terminal/render-changes.ts";
import { renderBackends } from "../terminal/render-backends.ts";
import { writeJson } from "../terminal/write-json.ts";

interface StatusFlags {
  readonly root: string;
  readonly probe?: true;
  readonly json?: true;
}

/** `cofferdam status`: where things stand. */
export function statusCommand(context: CommandContext): Command {
  const command = newCommand(context, "status", {
    summary: "show the root and the changes that wait for review",
    description: "Shows the root and the changes that wait for review; with --probe also which sandboxes work here.",
    example: "cofferdam status --root ~/project",
  });
  return withRoot(command)
    .option("--probe", "try every sandbox, which may take some seconds")
    .option("--json", "print one JSON object")
    .action(async (flags: StatusFlags) => await showStatus(context, flags));
}

async function showStatus(context: CommandContext, flags: StatusFlags): Promise<void> {
  const { out } = context;
  await using engine = await context.openEngine({ root: flags.root });
  for (const notice of engine.notices) notify(context.err, notice);
  const changes = await engine.workspace.changes();
  const landings = engine.landings();
  const backends = flags.probe === true ? await engine.probe() : undefined;
  if (flags.json === true) {
    writeJson(out, { root: engine.root, changes, landings, ...(backends === undefined ? {} : { backends }) });
    return;
  }
  out.write(`On ${escapeText(engine.root)}\n${describePending(changes)}\n${renderChanges(changes, out)}`);
  if (changes.length > 0) out.write(renderNextSteps(engine, out));
  if (landings.length > 0) out.write(`Landings:\n${renderLandings(landings)}`);
  if (backends !== undefined) out.write(`Sandboxes:\n${renderBackends(backends, out)}`);
}

function describePending(changes: readonly Change[]): string {
  return changes.length === 0 ? "Nothing waits for review" : `Waiting for review: ${countChanges(changes)}`;
}

/** The newest last, where the eye is; older ones are counted. */
function renderLandings(landings: readonly LandingSummary[]): string {
  const shown = landings.slice(-LANDINGS_SHOWN);
  const lines = shown.map(({ id, landedAt, state }) => `  ${id}  ${landedAt.toISOString()}  ${state}`);
  const older = landings.length - shown.length;
  return [...(older > 0 ? [`  … ${older} older`] : []), ...lines, ""].join("\n");
}

const LANDINGS_SHOWN = 10;
