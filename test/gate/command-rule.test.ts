import { expect, it } from "vitest";
import { commandRuleOf } from "../../src/gate/command-rule.ts";

const shell = { name: "shell", risk: "exec", requiresApproval: false } as const;

it.each([
  ["git status", "shell(git status)"],
  ["npm run build", "shell(npm run build)"],
  ["  grep -rn 'a b' src ", "shell(grep -rn 'a b' src)"],
])("commandRuleOf() offers exactly the words of the plain command %j", async (command, rule) => {
  expect(await commandRuleOf(shell, { command })).toBe(rule);
});

it.each([
  "git status; ls",
  "ls | head",
  "ls > out",
  "A=1 ls",
  "ls $HOME",
  "ls *",
  "ls $(pwd)",
  "./configure",
  "/bin/ls",
  "bash build.sh",
  "python3.12 build.py",
  "node x.js",
  "awk 1 f",
  "make",
  "env ls",
  "sudo ls",
  "xargs rm",
  "find . -exec rm {} +",
  "git -c core.pager=x log",
  "sort -o x y",
  "npm run test:*",
  "npm run test:* ",
  "ls\nrm x",
  "ls \u200B",
  "eval ls",
  ". ./x",
  "ls (",
  "",
])("commandRuleOf() offers nothing for %j", async (command) => {
  expect(await commandRuleOf(shell, { command })).toBeUndefined();
});

it("commandRuleOf() offers nothing for other tools and inputs", async () => {
  expect(await commandRuleOf({ ...shell, name: "run" }, { command: "ls" })).toBeUndefined();
  expect(await commandRuleOf(shell, { command: 1 })).toBeUndefined();
  expect(await commandRuleOf(shell, null)).toBeUndefined();
});
