import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openEgressProxy } from "../../src/egress/egress-proxy.ts";
import type { EgressProxyOptions, EgressRequest } from "../../src/egress/egress-proxy.ts";
import { parseHostRules } from "../../src/egress/host-rule.ts";

/** A proxy whose names all stand for this machine, which it may reach. */
async function openTestProxy(hosts: readonly string[], options: Partial<EgressProxyOptions> = {}) {
  const directory = await mkdtemp(join(tmpdir(), "cofferdam-test-"));
  const socketPath = join(directory, "proxy");
  const requests: EgressRequest[] = [];
  const proxy = await openEgressProxy({
    socketPath,
    rules: parseHostRules(hosts),
    onRequest: (request) => requests.push(request),
    resolve: async () => [{ address: "127.0.0.1", family: 4 }],
    mayConnect: () => true,
    ...options,
  });
  return {
    requests,
    socketPath,
    /** Sends bytes as they are and reads until the other side ends. */
    async send(bytes: string): Promise<string> {
      const socket = connect(socketPath);
      socket.write(bytes, "latin1");
      return await text(socket);
    },
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}

const web = createServer((request, response) => {
  if (request.url === "/away") response.writeHead(302, { location: "http://elsewhere.test/" }).end();
  else response.end(`${request.method} ${request.headers.host} ${request.url}\n`);
});
const echo = createTcpServer((socket) => socket.pipe(socket));
let webPort: number;
let echoPort: number;

beforeAll(async () => {
  await once(web.listen(0, "127.0.0.1"), "listening");
  await once(echo.listen(0, "127.0.0.1"), "listening");
  // Both listen on TCP, where the address is no path.
  webPort = (web.address() as AddressInfo).port;
  echoPort = (echo.address() as AddressInfo).port;
});

afterAll(() => {
  web.close();
  web.closeAllConnections();
  echo.close();
});

const REFUSED = /^HTTP\/1\.1 403 Forbidden\r\n.*\r\n\r\n(?<reason>.*)\n$/s;

describe("openEgressProxy()", () => {
  it("passes a request on when its host and port are in the list", async () => {
    await using proxy = await openTestProxy([`allowed.test:${webPort}`]);
    const { stdout } = await promisify(execFile)("curl", [
      "--silent",
      "--unix-socket",
      proxy.socketPath,
      "--request-target",
      `http://allowed.test:${webPort}/page?x=1`,
      `http://allowed.test:${webPort}/page?x=1`,
    ]);
    expect(stdout).toBe(`GET allowed.test:${webPort} /page?x=1\n`);
    expect(proxy.requests).toStrictEqual([{ target: `allowed.test:${webPort}` }]);
  });

  it("opens a tunnel when host and port are in the list", async () => {
    await using proxy = await openTestProxy([`allowed.test:${echoPort}`]);
    const socket = connect(proxy.socketPath);
    socket.write(`CONNECT allowed.test:${echoPort} HTTP/1.1\r\nHost: allowed.test:${echoPort}\r\n\r\n`);
    const [established] = await once(socket, "data");
    expect(String(established)).toBe("HTTP/1.1 200 Connection Established\r\n\r\n");
    socket.end("through the tunnel");
    expect(await text(socket)).toBe("through the tunnel");
    expect(proxy.requests).toStrictEqual([{ target: `allowed.test:${echoPort}` }]);
  });

  it("answers a redirect as it is, so that following it is a request of its own", async () => {
    await using proxy = await openTestProxy([`allowed.test:${webPort}`]);
    const first = await proxy.send(
      `GET http://allowed.test:${webPort}/away HTTP/1.1\r\nHost: allowed.test\r\nConnection: close\r\n\r\n`,
    );
    expect(first).toMatch(/^HTTP\/1\.1 302 Found\r\nlocation: http:\/\/elsewhere\.test\/\r\n/);
    const second = await proxy.send("GET http://elsewhere.test/ HTTP/1.1\r\nHost: elsewhere.test\r\n\r\n");
    expect(REFUSED.exec(second)?.groups?.["reason"]).toBe(
      'Cannot reach "elsewhere.test:80": it is not in the list of allowed hosts',
    );
    expect(proxy.requests).toStrictEqual([
      { target: `allowed.test:${webPort}` },
      {
        target: "elsewhere.test:80",
        refused: 'Cannot reach "elsewhere.test:80": it is not in the list of allowed hosts',
      },
    ]);
  });

  it.each([
    ["another host", "other.test:80"],
    ["another port of an allowed host", "allowed.test:22"],
    ["a name below an allowed one", "sub.allowed.test:80"],
    ["a name that ends like an allowed one", "notallowed.test:80"],
    ["a name that begins like an allowed one", "allowed.test.evil.test:80"],
    ["an IPv4 address", "127.0.0.1:80"],
    ["a short IPv4 address", "127.1:80"],
    ["a decimal IPv4 address", "2130706433:80"],
    ["a hexadecimal IPv4 address", "0x7f000001:80"],
  ])("refuses %s as not in the list", async (_what, target) => {
    await using proxy = await openTestProxy(["allowed.test"]);
    const reason = `Cannot reach "${target}": it is not in the list of allowed hosts`;
    const tunnel = await proxy.send(`CONNECT ${target} HTTP/1.1\r\nHost: allowed.test\r\n\r\n`);
    const plain = await proxy.send(`GET http://${target}/ HTTP/1.1\r\nHost: allowed.test\r\n\r\n`);
    expect([tunnel, plain].map((answer) => REFUSED.exec(answer)?.groups?.["reason"])).toStrictEqual([reason, reason]);
    expect(proxy.requests).toStrictEqual([
      { target, refused: reason },
      { target, refused: reason },
    ]);
  });

  it.each([
    ["a dot at the end", "allowed.test.:80"],
    ["an IPv6 address in brackets", "[::1]:80"],
    ["brackets around a name", "[allowed.test]:80"],
    ["a user before the host", "allowed.test@evil.test:80"],
    ["a user and password before the host", "a:b@allowed.test:80"],
    ["a percent sign", "allowed%2etest:80"],
    ["a backslash", "allowed.test\\.evil.test:80"],
    ["a letter outside of ASCII", "allowed\u00e9.test:80"],
    ["a fragment before the port", "evil.test#allowed.test:80"],
    ["an empty label", "allowed..test:80"],
    ["port 0", "allowed.test:0"],
    ["a port beyond 65535", "allowed.test:65616"],
  ])("refuses a target with %s as not plain", async (_what, target) => {
    await using proxy = await openTestProxy(["allowed.test"]);
    const answers = [
      await proxy.send(`CONNECT ${target} HTTP/1.1\r\nHost: allowed.test\r\n\r\n`),
      await proxy.send(`GET http://${target}/ HTTP/1.1\r\nHost: allowed.test\r\n\r\n`),
    ];
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 40[03] /);
    expect(proxy.requests.filter(({ refused }) => refused === undefined)).toStrictEqual([]);
  });

  it("refuses a request line with NUL", async () => {
    await using proxy = await openTestProxy(["allowed.test"]);
    expect(await proxy.send("GET http://allowed.test\0.evil.test/ HTTP/1.1\r\nHost: allowed.test\r\n\r\n")).toMatch(
      /^HTTP\/1\.1 400 /,
    );
    expect(proxy.requests).toStrictEqual([]);
  });

  it("finds a name whatever its case", async () => {
    await using proxy = await openTestProxy([`Allowed.Test:${webPort}`]);
    const answer = await proxy.send(
      `GET http://ALLOWED.test:${webPort}/ HTTP/1.1\r\nHost: allowed.test\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(proxy.requests).toStrictEqual([{ target: `allowed.test:${webPort}` }]);
  });

  it("refuses an allowed name when one of its addresses is not public", async () => {
    const resolve = async () => [
      { address: "93.184.215.14", family: 4 },
      { address: "169.254.169.254", family: 4 },
    ];
    const { isPublicAddress } = await import("../../src/egress/resolve-target.ts");
    await using proxy = await openTestProxy(["allowed.test"], { resolve, mayConnect: isPublicAddress });
    const answer = await proxy.send("CONNECT allowed.test:443 HTTP/1.1\r\nHost: allowed.test\r\n\r\n");
    expect(REFUSED.exec(answer)?.groups?.["reason"]).toBe(
      'Cannot reach "allowed.test": its name stands for an address that is not public',
    );
  });

  it("refuses an allowed name that cannot be resolved", async () => {
    await using proxy = await openTestProxy(["allowed.test"], {
      resolve: async () => {
        throw new Error("ENOTFOUND");
      },
    });
    const answer = await proxy.send("CONNECT allowed.test:443 HTTP/1.1\r\nHost: allowed.test\r\n\r\n");
    expect(REFUSED.exec(answer)?.groups?.["reason"]).toBe('Cannot reach "allowed.test": its name cannot be resolved');
  });

  it("connects to the addresses that it looked at when the name service changes its mind", async () => {
    let asked = 0;
    await using proxy = await openTestProxy([`allowed.test:${webPort}`], {
      resolve: async () => [{ address: (asked += 1) === 1 ? "127.0.0.1" : "127.0.0.2", family: 4 }],
    });
    const answer = await proxy.send(
      `GET http://allowed.test:${webPort}/ HTTP/1.1\r\nHost: allowed.test\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(asked).toBe(1);
  });

  it("ends open tunnels when it is disposed of", async () => {
    const proxy = await openTestProxy([`allowed.test:${echoPort}`]);
    const socket = connect(proxy.socketPath);
    socket.on("error", () => undefined);
    socket.write(`CONNECT allowed.test:${echoPort} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await once(socket, "data");
    const closed = once(socket, "close");
    await proxy[Symbol.asyncDispose]();
    await closed;
    expect(socket.destroyed).toBe(true);
  });
});
