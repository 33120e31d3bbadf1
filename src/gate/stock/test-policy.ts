import type { Effect } from "../../contract/gate.ts";
import type { BypassClass } from "./bypass-class.ts";
import { BYPASS_CLASSES } from "./bypass-commands.ts";

/** What a policy made of one kind of ways around rules. */
export interface BypassReport {
  readonly name: string;
  readonly commands: number;
  readonly denied: number;
  /** Commands that it allows, all of which run something that was not named. */
  readonly allowed: readonly string[];
}

/** Holds a policy to the commands that get around rules. */
export async function testPolicy(
  effectOf: (command: string) => Promise<Effect>,
  classes: readonly BypassClass[] = BYPASS_CLASSES,
): Promise<readonly BypassReport[]> {
  const reports: BypassReport[] = [];
  for (const { name, commands } of classes) {
    const effects = await Promise.all(commands.map(async (command) => ({ command, effect: await effectOf(command) })));
    reports.push({
      name,
      commands: commands.length,
      denied: effects.filter(({ effect }) => effect === "deny").length,
      allowed: effects.filter(({ effect }) => effect === "allow").map(({ command }) => command),
    });
  }
  return reports;
}
