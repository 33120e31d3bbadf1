/*
 * The one rule that an approval for good may become for a command line: these very words of one program, and nothing for what
 * says only when it runs what that is. A fixed command of an interpreter still runs whatever its file holds by then, so none is
 * offered for those either. What is offered is judged like any rule, and offered only when it allows this command.
 */
import { findActions } from "./command/acting-options.ts";
import { createCommandAnalyser } from "./command/analyse-command.ts";
import type { AnalyseCommand } from "./command/analysis.ts";
import { judge } from "./judge.ts";
import type { JudgedTool } from "./judge.ts";
import { parseRule, SHELL_TOOL } from "./rule.ts";

/** The narrowest rule that allows a command line, when there is one that is safe to keep. */
export async function commandRuleOf(tool: JudgedTool, input: unknown): Promise<string | undefined> {
  const command: unknown = Object(input).command;
  if (tool.name !== SHELL_TOOL || typeof command !== "string" || !ONE_LINE.test(command)) return undefined;
  const analyse = await createCommandAnalyser();
  const text = `${SHELL_TOOL}(${command.trim()})`;
  return isOnePlainCommand(command, analyse) && isAllowedBy(text, { tool, command, analyse }) ? text : undefined;
}

/** Nothing that does not show, and nothing that would make the rule an open one. */
const ONE_LINE = /^[\x20-\x7e]+(?<!:\*\s*)$/;

function isOnePlainCommand(command: string, analyse: AnalyseCommand): boolean {
  const analysis = analyse(command);
  if (analysis.kind === "too-large") return false;
  const [part, ...others] = analysis.parts;
  return (
    part?.kind === "command" &&
    others.length === 0 &&
    !part.isTransparent &&
    part.assignments.length === 0 &&
    part.args.every(({ kind }) => kind === "static") &&
    !part.program.includes("/") &&
    !INTERPRETER.test(part.program) &&
    findActions(part).length === 0 &&
    !GIT_SETTING.test(command)
  );
}

/** Settings of git can name programs, and what stands before its subcommand is settings. */
const GIT_SETTING = /^\s*git\s+-/;

/** Programs whose argument or file is a program. */
const INTERPRETER =
  /^(?:(?:ba|da|z|k|fi|tc|c)?sh|python|pypy|node|deno|bun|tsx|ts-node|ruby|irb|perl|php|lua|luajit|tclsh|expect|osascript|[gm]?awk|sed|java|jshell|groovy|scala|kotlin|rscript|julia|ghci|elixir|erl|escript|swift|go|cargo|dotnet|pwsh|powershell|sqlite3|psql|mysql|gdb|lldb|vim?|nvim|emacs|ed|ex|npx|bunx|pnpx|uvx|pipx|make|cmake|ninja|docker|podman|kubectl|ssh|source|eval|exec|\.)[\d.]*$/i;

function isAllowedBy(
  text: string,
  { tool, command, analyse }: { readonly tool: JudgedTool; readonly command: string; readonly analyse: AnalyseCommand },
): boolean {
  try {
    const rules = [parseRule(text, { effect: "allow", source: "the offer", analyse })];
    return judge({ mode: "default", rules, analyse }, tool, { command }).effect === "allow";
  } catch {
    // Written as a rule it means something else, or nothing.
    return false;
  }
}
