import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";

/** An MCP server on 127.0.0.1. */
export interface HttpServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** The protocol revision and the `authorization` of each tool call. */
  readonly calls: readonly string[];
}

/** Starts one that speaks both eras of the protocol. */
export async function startHttpServer(port = 0): Promise<HttpServer> {
  const calls: string[] = [];
  const handler = createMcpHandler(() => createServerOf());
  const http = createServer((request, response) => {
    void answer(request, response, async (web) => {
      if (request.headers["mcp-method"] === "tools/call" || (await web.clone().text()).includes('"tools/call"'))
        calls.push([request.headers["mcp-protocol-version"], request.headers.authorization].join(" "));
      return await handler.fetch(web);
    });
  });
  await new Promise<void>((resolve) => http.listen(port, "127.0.0.1", resolve));
  // A TCP server has an address of this form.
  const address = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    port: address.port,
    calls,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => http.close(resolve));
      http.closeAllConnections();
      await closed;
    },
  };
}

function createServerOf(): Server {
  const server = new Server({ name: "http", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({
    tools: ["echo", "flood"].map((name) => ({ name, description: name, inputSchema: { type: "object" as const } })),
  }));
  server.setRequestHandler("tools/call", ({ params }) => ({
    content: [{ type: "text", text: params.name === "flood" ? "x".repeat(17_000_000) : "over HTTP" }],
  }));
  return server;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  handle: (request: Request) => Promise<Response>,
): Promise<void> {
  const chunks: Buffer[] = [];
  // A request's chunks are buffers as long as no encoding was set.
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = "GET", url = "/", headers } = request;
  const body = method === "GET" || method === "HEAD" ? {} : { body: Buffer.concat(chunks) };
  const entries = Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]);
  const web = await handle(new Request(new URL(url, "http://127.0.0.1"), { method, headers: entries, ...body }));
  response.writeHead(web.status, Object.fromEntries(web.headers));
  try {
    for await (const chunk of web.body ?? []) response.write(chunk);
    response.end();
  } catch {
    // The client has hung up.
    response.destroy();
  }
}
