/** What verdicts on a thousand command lines cost with the stock policy, beside parsing these lines alone. */

import { parse } from "just-bash";
import { Bench } from "tinybench";
import { judge } from "../src/gate/judge.ts";
import { readRules } from "../src/gate/read-rules.ts";
import { STOCK_POLICY } from "../src/gate/stock/stock-policy.ts";
import { EVERYDAY_COMMANDS } from "../test/security/tables/everyday-commands.ts";
import { printRatios } from "./print-ratios.ts";

const commands = Array.from({ length: 1_000 }, (_, index) => EVERYDAY_COMMANDS[index % EVERYDAY_COMMANDS.length] ?? "");
const read = await readRules([{ definition: STOCK_POLICY, source: "the stock policy", trust: "trusted" }]);
const policy = { mode: "default", ...read } as const;
const shell = { name: "shell", risk: "exec", requiresApproval: false } as const;

const bench = new Bench({ name: "1,000 command lines", time: 3_000 })
  .add("their verdicts", () => {
    for (const command of commands) judge(policy, shell, { command });
  })
  .add("parsing them alone", () => {
    for (const command of commands) parse(command);
  });
await bench.run();
printRatios(bench);
