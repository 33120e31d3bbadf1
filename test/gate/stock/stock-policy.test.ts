import { describe, expect, it } from "vitest";
import type { Effect } from "../../../src/contract/gate.ts";
import { judge } from "../../../src/gate/judge.ts";
import { readRules } from "../../../src/gate/read-rules.ts";
import { BYPASS_CLASSES } from "../../../src/gate/stock/bypass-commands.ts";
import { STOCK_POLICY } from "../../../src/gate/stock/stock-policy.ts";
import { EVERYDAY_COMMANDS } from "../../security/tables/everyday-commands.ts";

const read = await readRules([{ definition: STOCK_POLICY, source: "the stock policy", trust: "trusted" }]);
const policy = { mode: "default", ...read } as const;

describe("STOCK_POLICY", () => {
  it("allows none of the commands that get around rules, and denies those that it has a rule against", () => {
    const rows = BYPASS_CLASSES.flatMap(({ name, atMost, commands }) =>
      commands.map((command) => ({ name, atMost, command })),
    );
    const wronglyAllowed = rows.filter(({ command }) => effectOf(command) === "allow");
    const missedDenies = rows.filter(({ atMost, command }) => atMost === "deny" && effectOf(command) !== "deny");
    // oxlint-disable-next-line no-console -- the rate is what the table is for
    console.log(
      `${rows.length} bypasses: ${wronglyAllowed.length} wrongly allowed, ${missedDenies.length} missed denies`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(250);
    expect(new Set(rows.map(({ command }) => command)).size).toBe(rows.length);
    expect({ wronglyAllowed, missedDenies }).toEqual({ wronglyAllowed: [], missedDenies: [] });
  });

  it("asks about few of the commands that agents run all day", () => {
    const stopped = EVERYDAY_COMMANDS.filter((command) => effectOf(command) !== "allow");
    const rate = stopped.length / EVERYDAY_COMMANDS.length;
    // oxlint-disable-next-line no-console -- the rate is what the table is for
    console.log(
      `${EVERYDAY_COMMANDS.length} everyday commands: ${stopped.length} asked or denied, ${(rate * 100).toFixed(1)} %`,
    );
    expect(EVERYDAY_COMMANDS.length).toBeGreaterThanOrEqual(250);
    expect(new Set(EVERYDAY_COMMANDS).size).toBe(EVERYDAY_COMMANDS.length);
    expect(rate).toBeLessThanOrEqual(0.15);
  });
});

function effectOf(command: string): Effect {
  return judge(policy, { name: "shell", risk: "exec", requiresApproval: false }, { command }).effect;
}
