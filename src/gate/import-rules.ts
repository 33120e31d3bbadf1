/*
 * Claude Code writes its rules as `Bash(npm run test:*)`, in settings with `permissions.allow`, `ask` and `deny`. What means the
 * same here is translated; what does not is left out and said, for a rule that means a little more than the one that it was made
 * of would be worse than none.
 */
import type { Effect, PolicyDefinition, PolicyMode } from "../contract/gate.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { importProblems, NO_PERMISSIONS } from "../errors/messages/gate-import.ts";
import type { AnalyseCommand } from "./command/analysis.ts";
import { parseRule } from "./rule.ts";

/** What became of foreign rules. */
export interface ImportedPolicy {
  readonly policy: PolicyDefinition;
  /** What could not be said here, each with the reason. */
  readonly leftOut: readonly { readonly rule: string; readonly reason: string }[];
}

/**
 * Translates the permissions of Claude Code's settings.
 * @throws ConfigurationError when there are none.
 */
export function importClaudeCodeRules(settings: unknown, analyse: AnalyseCommand): ImportedPolicy {
  const permissions = isObject(settings) && isObject(settings["permissions"]) ? settings["permissions"] : settings;
  if (!isObject(permissions) || !EFFECTS.some((effect) => Array.isArray(permissions[effect])))
    throw new ConfigurationError(NO_PERMISSIONS);
  const leftOut: ImportedPolicy["leftOut"][number][] = [];
  const translated = EFFECTS.flatMap((effect) => {
    const given: unknown = permissions[effect];
    const rules = (Array.isArray(given) ? given.map(String) : []).flatMap((rule) => {
      const result = translate(rule, { effect, analyse });
      if ("reason" in result) leftOut.push({ rule, reason: result.reason });
      return "rules" in result ? result.rules : [];
    });
    return rules.length === 0 ? [] : [[effect, [...new Set(rules)]] as const];
  });
  const mode = translateMode(permissions["defaultMode"]);
  if (permissions["defaultMode"] !== undefined && mode === undefined)
    leftOut.push({ rule: `defaultMode ${JSON.stringify(permissions["defaultMode"])}`, reason: importProblems.mode });
  return { policy: { ...(mode === undefined ? {} : { mode }), ...Object.fromEntries(translated) }, leftOut };
}

const EFFECTS: readonly Effect[] = ["allow", "ask", "deny"];

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function translateMode(mode: unknown): PolicyMode | undefined {
  const modes: readonly PolicyMode[] = ["plan", "default", "acceptEdits", "dontAsk"];
  return modes.find((each) => each === mode);
}

interface TranslateContext {
  readonly effect: Effect;
  readonly analyse: AnalyseCommand;
}

type Translation = { readonly rules: readonly string[] } | { readonly reason: string };

function translate(rule: string, context: TranslateContext): Translation {
  const parts = /^(?<tool>[\w*-]+)(?:\((?<specifier>.*)\))?$/s.exec(rule)?.groups;
  const tool = parts?.["tool"] ?? "";
  const specifier = parts?.["specifier"];
  if (tool.startsWith("mcp__")) return { rules: [/^mcp__[^_]+$/.test(tool) ? `${tool}__*` : tool] };
  const names = Object.hasOwn(TOOLS, tool) ? TOOLS[tool] : undefined;
  if (names === undefined) return { reason: importProblems.tool };
  if (specifier === undefined || specifier === "*") return { rules: names };
  const matcher = tool === "Bash" ? translateCommand(specifier) : translateOther(tool, specifier);
  if (typeof matcher !== "string") return matcher;
  return check(
    names.map((name) => `${name}(${matcher})`),
    context,
  );
}

/** What the tools of Claude Code are called here. */
const TOOLS: Readonly<Record<string, readonly string[]>> = {
  Bash: ["shell"],
  Read: ["risk:read"],
  Edit: ["risk:write"],
  Write: ["risk:write"],
  MultiEdit: ["risk:write"],
  Glob: ["glob"],
  Grep: ["grep"],
  LS: ["list_files"],
  WebFetch: ["fetch_url"],
  WebSearch: ["web_search"],
  TodoWrite: ["todo"],
};

/** A star at the end is `:*`; anywhere else it would match a part of the text, which is not looked at here. */
function translateCommand(specifier: string): string | Translation {
  const matcher = specifier.replace(/(?: |:)\*$/, ":*");
  return matcher.slice(0, -2).includes("*") || /[^:]\*$/.test(matcher) ? { reason: importProblems.star } : matcher;
}

function translateOther(tool: string, specifier: string): string | Translation {
  if (tool === "WebFetch") return specifier.startsWith("domain:") ? specifier : { reason: importProblems.domain };
  // Two slashes are the root of the file system there, and one is where the settings are.
  return /^(?:\/\/|~)/.test(specifier) ? { reason: importProblems.outside } : specifier;
}

/** Only what can be read as a rule is handed out. */
function check(rules: readonly string[], { effect, analyse }: TranslateContext): Translation {
  try {
    for (const rule of rules) parseRule(rule, { effect, source: "the import", analyse });
    return { rules };
  } catch (error) {
    if (error instanceof ConfigurationError) return { reason: error.message };
    throw error;
  }
}
