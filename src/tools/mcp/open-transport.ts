import type { Transport } from "@modelcontextprotocol/client";
import { mcpMessages } from "../../errors/messages/mcp.ts";
import { createBoundedFetch } from "./bounded-fetch.ts";
import type { Endpoint } from "./check-options.ts";
import { ProcessTransport } from "./process-transport.ts";

/** A way to a server that is not open yet. */
export interface ServerTransport {
  readonly transport: Transport;
  /** Says why it could not be opened, as far as that is known. */
  readonly explain: (error: unknown) => string;
}

/** Makes the transport that goes with an endpoint. The client package is loaded here and not before. */
export async function openTransport(endpoint: Endpoint, environment: NodeJS.ProcessEnv): Promise<ServerTransport> {
  const { deserializeMessage, serializeMessage, StreamableHTTPClientTransport } =
    await import("@modelcontextprotocol/client");
  if (endpoint.kind === "url") {
    const { url, headers } = endpoint;
    const transport = new StreamableHTTPClientTransport(url, {
      requestInit: { headers: { ...headers } },
      fetch: createBoundedFetch(MAX_ANSWER_BYTES),
    });
    return { transport, explain: describe };
  }
  const { command, args, env, cwd } = endpoint;
  const transport = new ProcessTransport({
    command,
    args,
    env: { ...inherited(environment), ...env },
    ...(cwd === undefined ? {} : { cwd }),
    serialize: serializeMessage,
    parse: deserializeMessage,
    maxMessageBytes: MAX_ANSWER_BYTES,
  });
  return {
    transport,
    explain: (error) => mcpMessages.startFailed(transport.endedBefore ?? describe(error), transport.said),
  };
}

/** One message of a server, images included. */
const MAX_ANSWER_BYTES = 16_777_216;

/** What a program needs to start at all; tokens and keys of the engine's own are none of a server's business. */
const INHERITED = ["PATH", "HOME", "LANG"] as const;

function inherited(environment: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  return Object.fromEntries(
    INHERITED.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

/** `fetch` puts what went wrong into the cause. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== ""
    ? `${error.message} (${error.cause.message})`
    : error.message;
}
