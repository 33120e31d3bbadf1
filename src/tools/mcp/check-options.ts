import type { Risk } from "../../contract/risk.ts";
import { ConfigurationError } from "../../errors/configuration-error.ts";
import { mcpMessages } from "../../errors/messages/mcp.ts";
import { constantCheck } from "../../schema/compile-schema.ts";
import type { InputValidator } from "../../schema/compile-schema.ts";
import { showValue } from "../../schema/show-value.ts";
import type { McpAddress, McpCommand, McpServerDefinition, McpServerOptions, McpToolOptions } from "./mcp-options.ts";

/** How to reach a server, with every default filled in. */
export type Endpoint =
  | {
      readonly kind: "command";
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  | {
      readonly kind: "url";
      readonly name: string;
      readonly url: URL;
      readonly headers: Readonly<Record<string, string>>;
    };

/** How one tool is treated. */
export interface ToolSettings {
  readonly risk: Risk;
  readonly requiresApproval: boolean;
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
}

/** The options of a server, with every default filled in. */
export interface ServerSettings extends ToolSettings {
  readonly tools: Readonly<Record<string, McpToolOptions>>;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly connectTimeoutMs: number;
  readonly connectAttempts: number;
  readonly relistAfterMs: number;
  readonly protocol: "legacy" | "auto";
}

/**
 * Checks how a server is to be reached.
 * @throws ConfigurationError naming the server and what is wrong.
 */
export function checkEndpoint(definition: McpServerDefinition): Endpoint {
  const { name } = definition;
  if (typeof name !== "string" || !SERVER_NAME.test(name) || name.length > MAX_SERVER_NAME_LENGTH) {
    throw new ConfigurationError(mcpMessages.cannotUse(undefined, mcpMessages.serverName(showValue(name))));
  }
  const isCommand = "command" in definition && definition.command !== undefined;
  const isAddress = "url" in definition && definition.url !== undefined;
  if (isCommand && !isAddress) return commandEndpoint(definition);
  if (isAddress && !isCommand) return addressEndpoint(definition);
  throw new ConfigurationError(mcpMessages.cannotUse(name, mcpMessages.commandOrUrl));
}

function commandEndpoint(definition: McpCommand): Endpoint {
  const { name, command, args = [], env = {}, cwd } = check(definition.name, checkCommand, definition);
  return { kind: "command", name, command, args, env, ...(cwd === undefined ? {} : { cwd }) };
}

function addressEndpoint(definition: McpAddress): Endpoint {
  const text = String(definition.url);
  const { name, headers = {} } = check(definition.name, checkAddress, { ...definition, url: text });
  return { kind: "url", name, url: parseUrl(name, text), headers };
}

/**
 * Checks how a server is to be used.
 * @throws ConfigurationError naming the server and what is wrong.
 */
export function checkSettings({ name, kind }: Endpoint, options: McpServerOptions): ServerSettings {
  const protocol = kind === "url" ? "auto" : "legacy";
  const settings: ServerSettings = { ...DEFAULTS, protocol, ...check(name, checkOptions, options) };
  const each = [settings, ...Object.keys(settings.tools).map((tool) => settingsOf(settings, tool))];
  for (const { timeoutMs, maxTimeoutMs } of each) {
    if (timeoutMs <= maxTimeoutMs) continue;
    throw new ConfigurationError(mcpMessages.cannotUse(name, mcpMessages.totalTooShort(timeoutMs, maxTimeoutMs)));
  }
  return settings;
}

/** How one tool is treated, named as the server names it. */
export function settingsOf(settings: ServerSettings, tool: string): ToolSettings {
  const { risk, requiresApproval, timeoutMs, maxTimeoutMs } = settings;
  const own = Object.hasOwn(settings.tools, tool) ? settings.tools[tool] : {};
  return { risk, requiresApproval, timeoutMs, maxTimeoutMs, ...own };
}

/** Without two `_` in a row and none at the ends, `mcp__server__tool` can be read in one way only. */
const SERVER_NAME = /^[a-zA-Z0-9-]+(?:_[a-zA-Z0-9-]+)*$/;
const MAX_SERVER_NAME_LENGTH = 32;

const DEFAULTS = {
  risk: "exec",
  requiresApproval: false,
  timeoutMs: 60_000,
  maxTimeoutMs: 600_000,
  tools: {},
  include: ["**"],
  exclude: [],
  connectTimeoutMs: 30_000,
  connectAttempts: 3,
  relistAfterMs: 60_000,
} as const;

const TEXT = { type: "string", minLength: 1 } as const;
const TEXTS = { type: "array", items: { type: "string" } } as const;
const TEXT_MAP = { type: "object", additionalProperties: { type: "string" } } as const;
const DURATION = { type: "integer", minimum: 1, maximum: 600_000 } as const;
const TOOL_OPTIONS = {
  risk: { enum: ["read", "write", "exec"] },
  requiresApproval: { type: "boolean" },
  timeoutMs: DURATION,
  maxTimeoutMs: DURATION,
} as const;

const checkCommand = constantCheck({
  type: "object",
  properties: { name: TEXT, command: TEXT, args: TEXTS, env: TEXT_MAP, cwd: TEXT },
  required: ["name", "command"],
});
const checkAddress = constantCheck({
  type: "object",
  properties: { name: TEXT, url: TEXT, headers: TEXT_MAP },
  required: ["name", "url"],
});
const checkOptions = constantCheck({
  type: "object",
  properties: {
    ...TOOL_OPTIONS,
    tools: { type: "object", additionalProperties: { type: "object", properties: TOOL_OPTIONS } },
    include: { type: "array", items: TEXT, minItems: 1 },
    exclude: { type: "array", items: TEXT },
    connectTimeoutMs: DURATION,
    connectAttempts: { type: "integer", minimum: 1, maximum: 10 },
    relistAfterMs: DURATION,
    protocol: { enum: ["legacy", "auto"] },
  },
});

/** Gives the value back, without keys that are `undefined`. */
function check<T extends object>(name: string, checkFields: InputValidator["check"], value: T): T {
  const checked = checkFields(value);
  if (!checked.valid) throw new ConfigurationError(mcpMessages.cannotUse(name, checked.problems.join("; ")));
  if (checked.coercions.length > 0) {
    throw new ConfigurationError(mcpMessages.cannotUse(name, checked.coercions.join("; ")));
  }
  // The schema, which says the same as the type, has just accepted it.
  return checked.value as T;
}

function parseUrl(name: string, text: string): URL {
  const url = URL.parse(text);
  if (url !== null && (url.protocol === "http:" || url.protocol === "https:")) return url;
  throw new ConfigurationError(mcpMessages.cannotUse(name, mcpMessages.unusableUrl(showValue(text))));
}
