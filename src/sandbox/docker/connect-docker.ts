import type Docker from "dockerode";

import { ConfigurationError } from "../../errors/configuration-error.ts";
import { dockerMessages } from "../../errors/messages/docker.ts";

/**
 * A client for the Engine at `address` (`unix:///path`, `tcp://host:port`), else at `DOCKER_HOST`, else at the usual
 * socket. It connects with the first request. dockerode is loaded here and nowhere else, so that a program that never
 * opens a docker sandbox does not pay for it.
 * @throws ConfigurationError when the address is none.
 */
export async function connectDocker(address?: string): Promise<Docker> {
  const problem = addressProblem(address);
  if (problem !== undefined) throw new ConfigurationError(dockerMessages.cannotConnect(problem));
  const { default: DockerClient } = await import("dockerode");
  try {
    return new DockerClient(address === undefined ? undefined : parseAddress(address));
  } catch (error) {
    // The client also reads what DOCKER_CERT_PATH names.
    throw new ConfigurationError(dockerMessages.cannotConnect(badAddress(engineAddress(address))), { cause: error });
  }
}

/** What is wrong with where the Engine is said to be, and what would be right; `undefined` when it can be tried. */
export function addressProblem(address: string | undefined): AddressProblem | undefined {
  const where = engineAddress(address);
  if (/^unix:\/\/\/./.test(where)) return undefined;
  const url = URL.canParse(where) ? new URL(where) : undefined;
  const isUsable = address === undefined ? CLIENT_PROTOCOLS.has(url?.protocol ?? "") : isTcpWithPort(url);
  return isUsable ? undefined : badAddress(where);
}

/** Why there is no Engine to be asked, and what to do about it. */
export interface AddressProblem {
  readonly reason: string;
  readonly remedy: string;
}

/** What the client takes from DOCKER_HOST; it would take anything without a scheme for the name of a host. */
const CLIENT_PROTOCOLS: ReadonlySet<string> = new Set(["tcp:", "ssh:", "http:", "https:"]);

/** Where the Engine is looked for, to say it. */
export function engineAddress(address: string | undefined): string {
  return address ?? (process.env.DOCKER_HOST || "unix:///var/run/docker.sock");
}

function badAddress(address: string): AddressProblem {
  return { reason: dockerMessages.badAddress(address), remedy: dockerMessages.badAddressRemedy };
}

function isTcpWithPort(url: URL | undefined): boolean {
  return url?.protocol === "tcp:" && url.port !== "";
}

function parseAddress(address: string): Docker.DockerOptions {
  if (address.startsWith("unix://")) return { socketPath: address.slice("unix://".length) };
  const { hostname, port } = new URL(address);
  return { protocol: "http", host: hostname, port };
}
