import type { Tool as ListedTool } from "@modelcontextprotocol/client";
import picomatch from "picomatch";
import type { JsonSchema, ObjectSchema } from "../../contract/json-schema.ts";
import type { Tool } from "../../contract/tool.ts";
import { ConfigurationError } from "../../errors/configuration-error.ts";
import { mcpMessages } from "../../errors/messages/mcp.ts";
import { ToolDefinitionError } from "../../errors/tool-definition-error.ts";
import { compileForeignOutput, compileForeignSchema } from "../../schema/compile-schema.ts";
import { defineTool } from "../define-tool.ts";
import { callRemoteTool } from "./call-remote-tool.ts";
import { type ServerSettings, settingsOf } from "./check-options.ts";
import { cleanSchema, cleanText, findSuspiciousWords } from "./inspect-text.ts";
import { nameTools } from "./name-tools.ts";
import { raiseRisk } from "./raise-risk.ts";
import type { ServerConnection } from "./server-connection.ts";
import type { ToolDrift } from "./tool-drift.ts";

/** A server's list of tools, and what is needed to make tools of it. */
export interface RemoteList {
  readonly server: string;
  readonly listed: readonly ListedTool[];
  readonly settings: ServerSettings;
  readonly connection: ServerConnection;
  readonly drift: ToolDrift;
}

/** Tools of the engine, and what a person should know of them. */
export interface MadeTools {
  readonly tools: readonly Tool[];
  readonly notices: readonly string[];
}

/**
 * Makes tools of what a server offers. One that cannot be used is left out and named in the notices: the others are not
 * to blame.
 * @throws ConfigurationError when the options name a tool that the server does not have.
 */
export function makeRemoteTools(list: RemoteList): MadeTools {
  const offered = list.listed.map((tool) => tool.name);
  assertKnown(list, offered);
  const names = nameTools(list.server, offered);
  const isIncluded = picomatch([...list.settings.include], GLOB_OPTIONS);
  const isExcluded = picomatch([...list.settings.exclude], GLOB_OPTIONS);
  const notices: string[] = [];
  const tools = list.listed.flatMap((tool) => {
    if (!isIncluded(tool.name) || isExcluded(tool.name)) return [];
    try {
      return [makeTool({ list, tool, shownAs: names.get(tool.name) ?? tool.name, notices })];
    } catch (error) {
      if (!(error instanceof ToolDefinitionError)) throw error;
      notices.push(mcpMessages.leftOut(cleanText(tool.name).text, error.message));
      return [];
    }
  });
  return { tools: Object.freeze(tools), notices: Object.freeze(notices) };
}

const GLOB_OPTIONS = { dot: true, bash: true } as const;

function isMatch(name: string, glob: string): boolean {
  return picomatch.isMatch(name, glob, GLOB_OPTIONS);
}

/** A misspelt name would leave a tool with other settings than somebody meant it to have. */
function assertKnown({ server, settings }: RemoteList, offered: readonly string[]): void {
  const configured = Object.keys(settings.tools).map((name) => ({
    option: "tools",
    name,
    isFound: offered.includes(name),
  }));
  const included = settings.include.map((glob) => ({
    option: "include",
    name: glob,
    isFound: glob === "**" || offered.some((name) => isMatch(name, glob)),
  }));
  const unknown = [...configured, ...included].find(({ isFound }) => !isFound);
  if (unknown === undefined) return;
  const problem = mcpMessages.noSuchTool(unknown.option, unknown.name, offered.slice(0, 40));
  throw new ConfigurationError(mcpMessages.cannotUse(server, problem));
}

interface Making {
  readonly list: RemoteList;
  readonly tool: ListedTool;
  readonly shownAs: string;
  /** Takes what a person should know. */
  readonly notices: string[];
}

function makeTool(making: Making): Tool {
  const { list, tool, shownAs, notices } = making;
  const { server, connection, drift } = list;
  const configured = settingsOf(list.settings, tool.name);
  const risk = raiseRisk(configured.risk, tool.annotations);
  const parameters = readParameters(making);
  const output = readOutput(making);
  const description = readDescription(making);
  if (risk !== configured.risk) notices.push(mcpMessages.raised(shownAs, configured.risk, risk));
  const settings = { ...configured, risk };
  const remote = { server, name: tool.name, shownAs, connection, drift, settings, ...output };
  return defineTool({
    name: shownAs,
    description,
    risk,
    parameters,
    timeoutMs: settings.maxTimeoutMs,
    requiresApproval: settings.requiresApproval,
    contained: false,
    capabilities: ["mcp", `mcp:${server}`],
    // That it is gone may change with the list that only a call brings.
    ready: () => drift.changeOf(tool.name) ?? true,
    describe: (input) => mcpMessages.describeCall(server, tool.name, JSON.stringify(input)),
    execute: async (input, context) => await callRemoteTool(remote, input, context),
  });
}

const MAX_DESCRIPTION_CHARACTERS = 8_000;

function readDescription({ list, tool, shownAs, notices }: Making): string {
  const { text, hidden } = cleanText(tool.description ?? tool.title ?? "");
  if (hidden > 0) notices.push(mcpMessages.cleaned(shownAs, hidden));
  const suspicious = findSuspiciousWords(text);
  if (suspicious !== undefined) notices.push(mcpMessages.suspicious(shownAs, suspicious));
  if (text.length > MAX_DESCRIPTION_CHARACTERS) notices.push(mcpMessages.shortened(shownAs, text.length));
  return text.trim() === ""
    ? mcpMessages.noDescription(cleanText(tool.name).text, list.server)
    : text.slice(0, MAX_DESCRIPTION_CHARACTERS);
}

function readParameters({ tool, shownAs, notices }: Making): ObjectSchema {
  const cleaned = cleanSchema(tool.inputSchema);
  if (!cleaned.usable) throw new ToolDefinitionError(cleaned.problem);
  if (cleaned.hidden > 0) notices.push(mcpMessages.cleaned(shownAs, cleaned.hidden));
  return compileForeignSchema(cleaned.schema).schema;
}

interface ReadOutput {
  readonly output?: JsonSchema;
  readonly checkOutput?: (value: unknown) => readonly string[];
}

function readOutput({ tool }: Making): ReadOutput {
  if (tool.outputSchema === undefined) return {};
  return { checkOutput: compileForeignOutput(tool.outputSchema) };
}
