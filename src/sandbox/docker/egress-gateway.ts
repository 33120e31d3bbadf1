import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import type Docker from "dockerode";
import type { Container, ContainerCreateOptions } from "dockerode";

import { egressMessages } from "../../errors/messages/egress.ts";
import { SandboxUnavailableError } from "../../errors/sandbox-unavailable-error.ts";
import type { EgressPolicy } from "../../egress/admit-target.ts";
import { openEgressProxy } from "../../egress/egress-proxy.ts";
import type { EgressRequest } from "../../egress/egress-proxy.ts";
import { RequestLog } from "../../egress/request-log.ts";
import type { AttachedStreams } from "./attach-streams.ts";
import { attachStreams } from "./attach-streams.ts";
import { callEngine } from "./call-engine.ts";
import { lockdown } from "./lockdown.ts";
import { makeOwnedDirectory } from "../owned-directories.ts";
import { removeContainer } from "./remove-container.ts";

/*
 * How a command in a container reaches the proxy outside. Its container shares the network of a second one, the gateway, which has
 * no interface but loopback either. In the gateway, and in no file system that the command sees, is the proxy's socket, and
 * socat joins a port of the loopback to it. So the command can talk to the proxy and to nothing else, whatever image it
 * runs in, and cannot reach the gateway's processes.
 *
 * The gateway connects to the socket once before it listens: an Engine on another machine, or in a virtual machine, has a file
 * there and no proxy behind it.
 */

/** What a gateway is made from. */
export interface EgressGatewayOptions extends EgressPolicy {
  readonly docker: Docker;
  /** Name of the gateway's container. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Id of an image that holds a shell and socat. */
  readonly imageId: string;
}

/** A way out for the containers that share its network. */
export interface EgressGateway extends AsyncDisposable {
  /** Name of the container whose network to share. */
  readonly name: string;
  /** What tells programs about the proxy. */
  readonly environment: Readonly<Record<string, string>>;
  /** The requests since they were last taken. */
  takeRequests(): readonly EgressRequest[];
}

/**
 * Opens a way out. Disposing of it ends every connection and removes the container.
 * @throws SandboxUnavailableError when the Engine fails, or does not see the proxy's socket.
 */
export async function openEgressGateway(options: EgressGatewayOptions): Promise<EgressGateway> {
  await using opened = new AsyncDisposableStack();
  const directory = await makeOwnedDirectory("egress");
  opened.defer(async () => await rm(directory, { recursive: true, force: true }));
  const socketPath = join(directory, "proxy");
  const log = new RequestLog();
  const { rules, resolve, mayConnect, docker, name } = options;
  opened.use(
    await openEgressProxy({
      socketPath,
      rules,
      onRequest: (request) => log.add(request),
      ...(resolve === undefined ? {} : { resolve }),
      ...(mayConnect === undefined ? {} : { mayConnect }),
    }),
  );
  const container = docker.getContainer(name);
  opened.defer(async () => await removeContainer(container));
  await callEngine("make the way out", (abortSignal) =>
    docker.createContainer({ ...gatewayOptions(options, socketPath), abortSignal }),
  );
  opened.use(await startGateway(container));
  const keep = opened.move();
  return {
    name,
    environment: proxyEnvironment(),
    takeRequests: () => log.take(),
    [Symbol.asyncDispose]: async () => await keep.disposeAsync(),
  };
}

const PORT = 3128;
const SOCKET_IN_GATEWAY = "/run/egress";

/** A connection may be half closed for as long as the other half has something to send; socat's own default is half a second. */
const HALF_CLOSED_SECONDS = 86_400;

const SCRIPT = [
  `socat -u OPEN:/dev/null UNIX-CONNECT:${SOCKET_IN_GATEWAY}`,
  `exec socat -d -d -t ${HALF_CLOSED_SECONDS} TCP-LISTEN:${PORT},bind=127.0.0.1,reuseaddr,fork,max-children=100 UNIX-CONNECT:${SOCKET_IN_GATEWAY}`,
].join(" && ");

function gatewayOptions(options: EgressGatewayOptions, socketPath: string): ContainerCreateOptions {
  return {
    name: options.name,
    Image: options.imageId,
    Entrypoint: ["/bin/sh"],
    Cmd: ["-c", SCRIPT],
    User: "65534:65534",
    WorkingDir: "/",
    Hostname: "sandbox",
    Labels: { ...options.labels },
    AttachStdout: true,
    AttachStderr: true,
    Healthcheck: { Test: ["NONE"] },
    HostConfig: {
      // A policy of SELinux would keep it from the socket of a process of the host.
      ...lockdown(["label=disable"]),
      PidsLimit: 128,
      Mounts: [{ Type: "bind", Source: socketPath, Target: SOCKET_IN_GATEWAY, ReadOnly: true }],
    },
  };
}

const START_SECONDS = 15;

/** Starts the gateway and waits until it says that it listens. */
async function startGateway(container: Container): Promise<AttachedStreams> {
  const listening = Promise.withResolvers<void>();
  let said = "";
  const streams = await attachStreams(container, {
    onContent: ({ bytes }) => {
      // It goes on talking about each connection; only the beginning matters.
      if (said.length < 4_096) said += Buffer.from(bytes).toString("utf8");
      if (said.includes("listening on")) listening.resolve();
    },
  });
  const waiting = new AbortController();
  try {
    await callEngine("start the way out", (abortSignal) => container.start({ abortSignal }));
    const ended = streams.ended.then(() => failed(said.trim()));
    const silent = delay(START_SECONDS * 1000, undefined, { signal: waiting.signal }).then(() =>
      failed(egressMessages.gatewaySilent(START_SECONDS)),
    );
    for (const each of [ended, silent]) each.catch(() => undefined);
    await Promise.race([listening.promise, ended, silent]);
    return streams;
  } catch (error) {
    streams[Symbol.dispose]();
    throw error;
  } finally {
    waiting.abort();
  }
}

function failed(said: string): never {
  throw new SandboxUnavailableError(egressMessages.gatewayFailed(said));
}

/** Every program reads other names. Node's own `fetch` reads them only when it is told to. */
function proxyEnvironment(): Record<string, string> {
  const address = `http://127.0.0.1:${PORT}`;
  const names = ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
  return {
    ...Object.fromEntries(names.map((name) => [name, address])),
    no_proxy: "",
    NO_PROXY: "",
    NODE_USE_ENV_PROXY: "1",
  };
}
