import type { Tool as ListedTool } from "@modelcontextprotocol/client";
import { mcpMessages } from "../../errors/messages/mcp.ts";
import { checkEndpoint, checkSettings } from "./check-options.ts";
import type { McpServer, McpServerDefinition, McpServerOptions } from "./mcp-options.ts";
import { makeRemoteTools } from "./remote-tools.ts";
import { ServerConnection } from "./server-connection.ts";
import { ToolDrift } from "./tool-drift.ts";

/**
 * Connects to an MCP server and makes tools of what it offers. The server works outside of every sandbox and its effects
 * are not part of the workspace, so every call of its tools is asked about until a rule or a configured risk says
 * otherwise.
 *
 * @example
 * ```ts
 * await using github = await mcpServer({ name: "github", command: "github-mcp-server", args: ["stdio"] });
 * await using engine = await createEngine({ root: ".", tools: [...coreTools(), github] });
 * ```
 * @throws ConfigurationError when an option is wrong, or the server cannot be reached.
 */
export async function mcpServer(definition: McpServerDefinition, options: McpServerOptions = {}): Promise<McpServer> {
  const endpoint = checkEndpoint(definition);
  const settings = checkSettings(endpoint, options);
  const { name } = endpoint;
  const drift = new ToolDrift();
  let listed: readonly ListedTool[] = [];
  const onListed = (tools: readonly ListedTool[]): void => {
    listed = tools;
    drift.compare(tools);
  };
  const connection = new ServerConnection({ endpoint, settings, environment: process.env, onListed });
  try {
    await connection.start();
    const made = makeRemoteTools({ server: name, listed, settings, connection, drift });
    return {
      name,
      ...made,
      collectionName: mcpMessages.where(name),
      toTools: () => made.tools,
      [Symbol.iterator]: () => made.tools[Symbol.iterator](),
      [Symbol.asyncDispose]: async () => await connection[Symbol.asyncDispose](),
    };
  } catch (error) {
    await connection[Symbol.asyncDispose]();
    throw error;
  }
}
