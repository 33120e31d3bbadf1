import type { lookup } from "node:dns";
import { once } from "node:events";
import { chmod } from "node:fs/promises";
import { Agent } from "node:http";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

import { RequestError, Server } from "proxy-chain";

import { egressMessages } from "../errors/messages/egress.ts";
import { admitTarget, answerWith } from "./admit-target.ts";
import type { EgressPolicy } from "./admit-target.ts";
import { readTarget } from "./read-target.ts";
import type { ResolvedAddress } from "./resolve-target.ts";

/*
 * The only way out of a sandbox with an allowlist: an HTTP proxy in the engine's process, on a Unix socket. The sandbox has no
 * network interface but its own loopback and no name service, so whatever a command does not ask of this proxy goes nowhere.
 *
 * A name is resolved once, all its addresses are looked at, and the connection goes to just those: a name service that
 * answers differently the second time changes nothing. A redirect is a new request, and judged like one.
 *
 * What is inside a TLS tunnel is not looked at. A host in the list that serves other names from the same address (a content
 * network) can be asked for those.
 */

/** What the proxy needs. */
export interface EgressProxyOptions extends EgressPolicy {
  /** Where it listens. The directory decides who reaches it. */
  readonly socketPath: string;
  /** Told of each request when it was judged. */
  readonly onRequest: (request: EgressRequest) => void;
}

/** A request that a command made. */
export interface EgressRequest {
  /** `host:port`, or what was written where that is no plain target. */
  readonly target: string;
  /** Why it was refused; absent when it was let through. */
  readonly refused?: string;
}

/** Connections at a time; more are closed at once. */
const MAX_CONNECTIONS = 128;

/** Starts the proxy. Disposing of it ends every connection. */
export async function openEgressProxy(options: EgressProxyOptions): Promise<AsyncDisposable> {
  // Not the process's agent, which would keep connections for whoever asks next.
  const agent = new Agent({ keepAlive: false });
  const proxy = new Server({
    prepareRequestFunction: async ({ request }) => {
      const addresses = await judge(request, options);
      // Typed as the whole of dns.lookup, with its overloads; it goes to net.connect, which calls it in this one form.
      const dnsLookup = answerWith(addresses) as typeof lookup;
      return { dnsLookup, httpAgent: agent };
    },
  });
  const { server } = proxy;
  server.maxConnections = MAX_CONNECTIONS;
  // The proxy takes a socket without a remote address for one that is gone, and a Unix socket has none.
  server.prependListener("connection", (socket: Socket) => {
    Object.defineProperty(socket, "remoteAddress", { value: "unix" });
  });
  server.listen(options.socketPath);
  await once(server, "listening");
  // The other end may run as another user; the directory is what keeps strangers out.
  await chmod(options.socketPath, 0o666);
  return {
    async [Symbol.asyncDispose]() {
      await proxy.close(true);
      agent.destroy();
    },
  };
}

/** The addresses that a request may be connected to. */
async function judge(request: IncomingMessage, options: EgressProxyOptions): Promise<readonly ResolvedAddress[]> {
  const target = readTarget(request);
  const shown = target === undefined ? shorten(request.url ?? "") : `${target.host}:${target.port}`;
  const admission =
    target === undefined
      ? ({ admitted: false, reason: egressMessages.badTarget } as const)
      : await admitTarget(target, options);
  if (!admission.admitted) {
    options.onRequest({ target: shown, refused: admission.reason });
    throw new RequestError(`${admission.reason}\n`, 403);
  }
  options.onRequest({ target: shown });
  return admission.addresses;
}

function shorten(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}
