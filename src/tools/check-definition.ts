import { closest, distance } from "fastest-levenshtein";
import type { Risk } from "../contract/risk.ts";
import { toolMessages } from "../errors/messages/tools.ts";
import { ToolDefinitionError } from "../errors/tool-definition-error.ts";
import { showValue } from "../schema/show-value.ts";

/** The names that every provider accepts. */
export const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** The risks there are, from the least to the greatest. */
export const RISKS: readonly Risk[] = ["read", "write", "exec"];

/**
 * Checks every option of a definition but its schemas, which their compiler checks.
 * @throws ToolDefinitionError naming the tool and the option.
 */
export function checkDefinition(definition: unknown): void {
  if (typeof definition !== "object" || definition === null || Array.isArray(definition)) {
    throw new ToolDefinitionError(
      toolMessages.cannotDefine(undefined, toolMessages.notAnObject(showAnything(definition))),
    );
  }
  const fields = definition as Record<string, unknown>; // just checked to be an object; each field is checked below
  const name = typeof fields["name"] === "string" && TOOL_NAME.test(fields["name"]) ? fields["name"] : undefined;
  const problem = findProblem(fields);
  if (problem !== undefined) throw new ToolDefinitionError(toolMessages.cannotDefine(name, problem));
}

/** The names of all options of a definition. */
export function optionNames(): readonly string[] {
  return Object.keys(checksFor(undefined));
}

interface FieldCheck {
  readonly isValid: (value: unknown) => boolean;
  readonly remedy: string;
  /** @default false */
  readonly isRequired?: boolean;
}

function findProblem(fields: Readonly<Record<string, unknown>>): string | undefined {
  const checks = checksFor(fields["risk"]);
  const names = Object.keys(checks);
  const unknown = Object.keys(fields).find((field) => !names.includes(field));
  if (unknown !== undefined) return toolMessages.unknownOption(unknown.slice(0, 64), suggest(unknown, names), names);
  for (const [field, check] of Object.entries(checks)) {
    const value = fields[field];
    if (value === undefined && check.isRequired !== true) continue;
    if (!check.isValid(value)) return toolMessages.field(field, showAnything(value), check.remedy);
  }
  return undefined;
}

function checksFor(risk: unknown): Readonly<Record<string, FieldCheck>> {
  const isExec = risk === undefined || risk === "exec";
  return {
    name: {
      isValid: (value) => typeof value === "string" && TOOL_NAME.test(value),
      remedy: toolMessages.useName,
      isRequired: true,
    },
    description: { isValid: isFilledText, remedy: toolMessages.useText, isRequired: true },
    risk: oneOf(RISKS),
    // Its compiler says more than could be said here.
    parameters: { isValid: () => true, remedy: "" },
    timeoutMs: integer(1, isExec ? 600_000 : 2_147_483_647),
    maxRetries: integer(0, 10),
    idempotent: BOOLEAN,
    parallel: BOOLEAN,
    capabilities: {
      isValid: (value) => Array.isArray(value) && value.every(isFilledText),
      remedy: toolMessages.useTags,
    },
    tier: oneOf(["core", "advanced", "specialist"]),
    requiresApproval: BOOLEAN,
    contained: BOOLEAN,
    destructive: risk === "read" ? { isValid: (value) => value === false, remedy: toolMessages.readsOnly } : BOOLEAN,
    openWorld: BOOLEAN,
    maxOutputCharacters: integer(2_000, 10_000_000),
    output: { isValid: () => true, remedy: "" },
    ready: { isValid: isFunction, remedy: toolMessages.useFunction },
    describe: { isValid: isFunction, remedy: toolMessages.useFunction },
    resources: { isValid: isFunction, remedy: toolMessages.useFunction },
    authorize: { isValid: isFunction, remedy: toolMessages.useFunction },
    onError: { isValid: isFunction, remedy: toolMessages.useFunction },
    execute: { isValid: isFunction, remedy: toolMessages.useFunction, isRequired: true },
  };
}

const BOOLEAN: FieldCheck = { isValid: (value) => typeof value === "boolean", remedy: toolMessages.useBoolean };

function integer(least: number, most: number): FieldCheck {
  return {
    isValid: (value) => typeof value === "number" && Number.isInteger(value) && value >= least && value <= most,
    remedy: toolMessages.useInteger(least, most),
  };
}

function oneOf(words: readonly string[]): FieldCheck {
  return {
    isValid: (value) => typeof value === "string" && words.includes(value),
    remedy: toolMessages.useOneOf(words),
  };
}

function isFilledText(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

function suggest(field: string, known: readonly string[]): string | undefined {
  const short = field.slice(0, 64);
  const nearest = closest(short, known);
  return distance(short, nearest) <= Math.ceil(nearest.length / 2) ? nearest : undefined;
}

function showAnything(value: unknown): string {
  return typeof value === "function" ? "a function" : showValue(value);
}
