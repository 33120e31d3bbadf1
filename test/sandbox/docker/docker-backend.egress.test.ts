import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer as createTcpServer } from "node:net";

import { afterAll, beforeAll, expect, it } from "vitest";

import { ConfigurationError } from "../../../src/errors/configuration-error.ts";
import { DEFAULT_IMAGE } from "../../../src/sandbox/images/default-image.ts";
import { describeWithEngine } from "./engine-available.ts";
import { assertNothingLeft, outcome, runOnce, testBackend } from "./fixture.ts";

/** Every name stands for this machine, which may be reached: the servers here are all on its loopback. */
const backend = testBackend({
  image: DEFAULT_IMAGE,
  egress: { resolve: async () => [{ address: "127.0.0.1", family: 4 }], mayConnect: () => true },
});

const web = createServer((request, response) => {
  if (request.url === "/big") response.end(Buffer.alloc(3_000_000, "b"));
  else response.end(`hello from ${request.headers.host}\n`);
});
/** Answers once the other side has said that it has nothing more to say. */
const afterEnd = createTcpServer({ allowHalfOpen: true }, (socket) => {
  socket.resume().on("end", () => setTimeout(() => socket.end("late answer\n"), 1_500));
});
let port: number;
let latePort: number;

beforeAll(async () => {
  await once(web.listen(0, "127.0.0.1"), "listening");
  await once(afterEnd.listen(0, "127.0.0.1"), "listening");
  // Both listen on TCP, where the address is no path.
  port = (web.address() as AddressInfo).port;
  latePort = (afterEnd.address() as AddressInfo).port;
});

afterAll(async () => {
  web.close();
  afterEnd.close();
  await assertNothingLeft();
});

describeWithEngine("docker backend: allowed hosts", () => {
  it("run() reaches an allowed host and no other, and reports both", async () => {
    const execution = await runOnce(
      `curl -s http://allowed.test:${port}/; curl -s http://other.test:${port}/; curl -s -o /dev/null -w '%{http_connect}\\n' https://other.test:${port}/`,
      { backend, request: { network: [`allowed.test:${port}`] } },
    );
    const reason = `Cannot reach "other.test:${port}": it is not in the list of allowed hosts`;
    expect(execution.stdout).toBe(`hello from allowed.test:${port}\n${reason}\n403\n`);
    expect(execution.details?.["egress"]).toStrictEqual([
      { target: `allowed.test:${port}` },
      { target: `other.test:${port}`, refused: reason },
    ]);
  });

  it("run() passes large answers and half-closed connections on whole", async () => {
    const execution = await runOnce(
      `curl -s http://allowed.test:${port}/big | wc -c
       printf 'CONNECT late.test:${latePort} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' | socat -t 10 - TCP:127.0.0.1:3128 | tail -n 1`,
      { backend, request: { network: [`allowed.test:${port}`, `late.test:${latePort}`] } },
    );
    expect(execution.stdout).toBe("3000000\nlate answer\n");
  });

  it("run() has no way around the proxy", async () => {
    const script = [
      `curl -s --noproxy '*' --max-time 3 http://127.0.0.1:${port}/ || echo "direct: $?"`,
      `curl -s --noproxy '*' --max-time 3 http://allowed.test:${port}/ || echo "by name: $?"`,
      "cat /proc/net/dev | tail -n +3 | cut -d: -f1 | tr -d ' '",
      "ls /run/egress 2>&1",
      "pgrep -a socat || echo 'no socat in sight'",
      "grep -c @ /proc/net/unix || true",
    ].join("\n");
    const execution = await runOnce(script, { backend, request: { network: [`allowed.test:${port}`] } });
    expect(outcome(execution)).toStrictEqual({
      termination: "exit",
      exitCode: 0,
      signal: null,
      stdout: [
        "direct: 7",
        "by name: 6",
        "lo",
        "ls: cannot access '/run/egress': No such file or directory",
        "no socat in sight",
        "0",
        "",
      ].join("\n"),
      stderr: "",
    });
  });

  it("run() has no network at all when the list is empty", async () => {
    const execution = await runOnce('echo "[$http_proxy]"; curl -s --max-time 3 http://127.0.0.1:3128/ || echo "$?"', {
      backend,
      request: { network: [] },
    });
    expect(execution.stdout).toBe("[]\n7\n");
    expect(execution.details).not.toHaveProperty("egress");
  });

  it("open() refuses a host that is none", async () => {
    await expect(backend.open({ network: ["10.0.0.1"] })).rejects.toThrow(
      new ConfigurationError(
        'Cannot allow the host "10.0.0.1": it is an address; use a name such as "packages.example.com", "*.example.com" or "example.com:8443"',
      ),
    );
  });

  it("run() reaches no private address by an allowed name when nothing else was said", async () => {
    const execution = await runOnce(`curl -s http://localhost:${port}/`, {
      backend: testBackend({ image: DEFAULT_IMAGE }),
      request: { network: [`localhost:${port}`] },
    });
    expect(execution.stdout).toBe('Cannot reach "localhost": its name stands for an address that is not public\n');
  });

  it("run() leaves no gateway behind when the command runs out of time", async () => {
    const execution = await runOnce(`curl -s http://allowed.test:${port}/; sleep 60`, {
      backend,
      request: { network: [`allowed.test:${port}`] },
      timeoutMs: 1_500,
    });
    expect(execution.termination).toBe("timeout");
    await assertNothingLeft();
  });
});
