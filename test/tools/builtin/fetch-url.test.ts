import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { ToolResult } from "../../../src/contract/tool-result.ts";
import { ConfigurationError } from "../../../src/errors/configuration-error.ts";
import { approveAll } from "../../../src/testing/index.ts";
import { fetchUrlTool } from "../../../src/tools/builtin/fetch-url.ts";
import type { FetchUrlOptions } from "../../../src/tools/builtin/fetch-url.ts";
import { temporaryEngine } from "../../fixtures/temporary-engine.ts";

const PAGE = `<html><head><title>T</title><style>x{}</style><script>alert(1)</script></head>
<body><h1>Hello</h1><p>Some <b>bold</b> text and a <a href="/next">link</a>.</p></body></html>`;
const PNG = Buffer.from("89504e470d0a1a0a", "hex");

const answers: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>> = {
  "/page": (_request, response) => void response.writeHead(200, { "content-type": "text/html" }).end(PAGE),
  "/zipped": (_request, response) =>
    void response.writeHead(200, { "content-type": "text/html", "content-encoding": "gzip" }).end(gzipSync(PAGE)),
  "/latin": (_request, response) =>
    void response
      .writeHead(200, { "content-type": "text/plain; charset=iso-8859-1" })
      .end(Buffer.from("caf\xe9", "latin1")),
  "/json": (_request, response) => void response.writeHead(200, { "content-type": "application/json" }).end('{"a":1}'),
  "/image": (_request, response) => void response.writeHead(200, { "content-type": "image/png" }).end(PNG),
  "/binary": (_request, response) => void response.writeHead(200, { "content-type": "application/zip" }).end("PK"),
  "/empty": (_request, response) => void response.writeHead(200, { "content-type": "text/plain" }).end(),
  "/missing": (_request, response) =>
    void response.writeHead(404, { "content-type": "text/plain" }).end("no such page"),
  "/moved": (_request, response) => void response.writeHead(302, { location: "/json" }).end(),
  "/away": (_request, response) => void response.writeHead(302, { location: "http://other.test/" }).end(),
  "/round": (_request, response) => void response.writeHead(302, { location: "/round" }).end(),
  "/deep": (_request, response) =>
    void response.writeHead(200, { "content-type": "text/html" }).end("<div>".repeat(30_000)),
  "/endless": (_request, response) => {
    response.writeHead(200, { "content-type": "text/plain" });
    const write = (): void => {
      while (response.write("x".repeat(64_000)));
      response.once("drain", write);
    };
    write();
  },
  "/silent": () => undefined,
};

const server = createServer((request, response) => answers[request.url ?? ""]?.(request, response));
let origin: string;
let port: number;

beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  // It listens on TCP, where the address is no path.
  port = (server.address() as AddressInfo).port;
  origin = `http://allowed.test:${port}`;
});

afterAll(() => {
  server.close();
  server.closeAllConnections();
});

async function fetchUrl(
  input: { readonly url: string; readonly raw?: boolean },
  options: Partial<FetchUrlOptions> & { readonly signal?: AbortSignal } = {},
): Promise<ToolResult> {
  const { signal, ...rest } = options;
  const tool = fetchUrlTool({
    hosts: [`allowed.test:${port}`],
    resolve: async () => [{ address: "127.0.0.1", family: 4 }],
    mayConnect: () => true,
    ...rest,
  });
  await using temporary = await temporaryEngine({ tools: [tool], reviewer: approveAll, retryDelayMs: 1 });
  const call = { id: "1", name: "fetch_url", input };
  return await temporary.engine.dispatch(call, signal === undefined ? {} : { signal });
}

describe("fetch_url", () => {
  it.each(["/page", "/zipped"])("gives the page %s as Markdown, without scripts and styles", async (path) => {
    const result = await fetchUrl({ url: `${origin}${path}` });
    expect(result).toMatchObject({
      success: true,
      output: "# Hello\n\nSome **bold** text and a [link](/next).",
      attempts: 1,
    });
  });

  it("gives HTML as it is when that was asked for", async () => {
    expect((await fetchUrl({ url: `${origin}/page`, raw: true })).output).toBe(PAGE);
  });

  it.each([
    ["/json", '{"a":1}'],
    ["/latin", "café"],
    ["/empty", "(the answer is empty)"],
  ])("gives the text %s as it is", async (path, output) => {
    expect((await fetchUrl({ url: `${origin}${path}` })).output).toBe(output);
  });

  it("gives an image as an image", async () => {
    const result = await fetchUrl({ url: `${origin}/image` });
    expect([result.output, result.content]).toStrictEqual([
      "image/png, 8 B",
      [{ type: "image", data: PNG.toString("base64"), mimeType: "image/png" }],
    ]);
  });

  it("follows a redirect to an allowed host and says where it led", async () => {
    expect((await fetchUrl({ url: `${origin}/moved` })).output).toBe(`(it led to ${origin}/json)\n\n{"a":1}`);
  });

  it.each([
    [
      "is not in the list",
      () => "http://other.test/",
      "denied",
      'Cannot fetch "http://other.test/": cannot reach "other.test:80": it is not in the list of allowed hosts; only the user can allow it',
    ],
    [
      "redirects to a host that is not",
      () => `${origin}/away`,
      "denied",
      'Cannot fetch "http://other.test/": cannot reach "other.test:80": it is not in the list of allowed hosts; only the user can allow it',
    ],
    [
      "leads in a circle",
      () => `${origin}/round`,
      "business",
      'Cannot fetch URL/round": it leads on more than 5 times; give the address of the page itself',
    ],
    [
      "is a file",
      () => "file:///etc/passwd",
      "business",
      'Cannot fetch "file:///etc/passwd": it is no address of a page; give a whole address that begins with http:// or https://, without a user or a password',
    ],
    [
      "holds a user",
      () => "http://allowed.test@evil.test/",
      "business",
      'Cannot fetch "http://allowed.test@evil.test/": it is no address of a page; give a whole address that begins with http:// or https://, without a user or a password',
    ],
    [
      "is an address",
      () => "http://127.1/",
      "denied",
      'Cannot fetch "http://127.1/": cannot reach "127.0.0.1:80": it is not in the list of allowed hosts; only the user can allow it',
    ],
    [
      "is missing",
      () => `${origin}/missing`,
      "business",
      'Cannot fetch URL/missing": the server answers 404 Not Found',
    ],
    [
      "is neither text nor image",
      () => `${origin}/binary`,
      "business",
      'Cannot show URL/binary": it is application/zip, which is neither text nor an image; fetch another form of it',
    ],
  ])("fails when the page %s", async (_what, ...[url, errorKind, error]) => {
    const result = await fetchUrl({ url: url() });
    expect(result).toMatchObject({ success: false, errorKind, error: error.replace("URL", `"${origin}`) });
  });

  it("connects to public addresses only when nothing else was said", async () => {
    const tool = fetchUrlTool({ hosts: [`localhost:${port}`] });
    await using temporary = await temporaryEngine({ tools: [tool], reviewer: approveAll });
    const url = `http://localhost:${port}/json`;
    const result = await temporary.engine.dispatch({ id: "1", name: "fetch_url", input: { url } });
    expect(result).toMatchObject({
      success: false,
      errorKind: "denied",
      error: `Cannot fetch "${url}": cannot reach "localhost": its name stands for an address that is not public; only the user can allow it`,
    });
  });

  it("cuts an answer that does not end", async () => {
    const { output } = await fetchUrl({ url: `${origin}/endless` }, { maxBytes: 1_000 });
    expect(output).toBe(`(cut: the answer is longer than 1000 B)\n\n${"x".repeat(1_000)}`);
  });

  it("gives the HTML of a page that would keep the converter busy for minutes", async () => {
    const { output } = await fetchUrl({ url: `${origin}/deep` }, { maxBytes: 200_000 });
    expect(
      output.startsWith("(the page could not be turned into Markdown in time; this is its HTML)\n\n<div><div>"),
    ).toBe(true);
  }, 30_000);

  it("fails as a dependency, after one more try, when nobody listens", async () => {
    const closed = createServer();
    await once(closed.listen(0, "127.0.0.1"), "listening");
    // It listens on TCP, where the address is no path.
    const { port: nobody } = closed.address() as AddressInfo;
    await once(closed.close(), "close");
    const url = `http://allowed.test:${nobody}/`;
    const result = await fetchUrl({ url }, { hosts: [`allowed.test:${nobody}`] });
    expect(result).toMatchObject({
      success: false,
      errorKind: "dependency",
      attempts: 2,
      error: `Cannot fetch "${url}": connect ECONNREFUSED 127.0.0.1:${nobody}; try again later, or go on without`,
    });
  });

  it("stops when the call is cancelled", async () => {
    const controller = new AbortController();
    server.once("request", () => controller.abort());
    const result = await fetchUrl({ url: `${origin}/silent` }, { signal: controller.signal });
    expect(result).toMatchObject({ success: false, errorKind: "cancelled" });
  });

  it("asks the reviewer, and is denied without one", async () => {
    await using temporary = await temporaryEngine({
      tools: [fetchUrlTool({ hosts: ["a.test"] })],
      policy: { mode: "auto" },
    });
    const result = await temporary.engine.dispatch({ id: "1", name: "fetch_url", input: { url: "http://a.test/" } });
    expect(result).toMatchObject({ success: false, errorKind: "denied", attempts: 0 });
  });

  it("refuses a host that is none when it is made", () => {
    expect(() => fetchUrlTool({ hosts: ["*"] })).toThrow(
      new ConfigurationError(
        'Cannot allow the host "*": it is not a host name with an optional port; use a name such as "packages.example.com", "*.example.com" or "example.com:8443"',
      ),
    );
  });
});
