import type { Client, jsonSchemaValidator } from "@modelcontextprotocol/client";

/** What a client is made for. */
export interface ClientSettings {
  readonly protocol: "legacy" | "auto";
  /** The server said that its tools are others than before. */
  readonly onToolsChanged: (client: Client) => void;
}

/**
 * Makes a client that offers a server nothing: no sampling, no questions to a person, no directories. The client package
 * is loaded here and not before.
 */
export async function createClient({ protocol, onToolsChanged }: ClientSettings): Promise<Client> {
  const { Client } = await import("@modelcontextprotocol/client");
  const client: Client = new Client(CLIENT_INFO, {
    capabilities: {},
    versionNegotiation: { mode: protocol },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => onToolsChanged(client) } },
    jsonSchemaValidator: UNCHECKED,
  });
  return client;
}

const CLIENT_INFO = { name: "cofferdam", version: "1" };

/** Results are checked in `callRemoteTool`, where a pattern of the server's schema cannot make the check hang. */
const UNCHECKED: jsonSchemaValidator = {
  // `never` fits whatever type the package would have checked for; nothing here relies on that.
  getValidator: () => (value) => ({ valid: true, data: value as never, errorMessage: undefined }),
};
