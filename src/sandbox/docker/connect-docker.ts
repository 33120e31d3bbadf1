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
  const { default: DockerClient } = await import("dockerode");
  try {
    return new DockerClient(address === undefined ? undefined : parseAddress(address));
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    // docker-modem refuses a DOCKER_HOST that is no URL.
    throw new ConfigurationError(dockerMessages.badAddress(engineAddress(address)), { cause: error });
  }
}

/** Where the Engine is looked for, to say it. */
export function engineAddress(address: string | undefined): string {
  return address ?? (process.env.DOCKER_HOST || "unix:///var/run/docker.sock");
}

function parseAddress(address: string): Docker.DockerOptions {
  if (address.startsWith("unix://")) return { socketPath: address.slice("unix://".length) };
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== "tcp:" || url.port === "") throw new ConfigurationError(dockerMessages.badAddress(address));
  return { protocol: "http", host: url.hostname, port: url.port };
}
