import { isIP } from "node:net";

import type { NetworkAccess } from "../contract/sandbox.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { egressMessages } from "../errors/messages/egress.ts";

/*
 * Which hosts a command may reach. A host is a name, never an address: names are what a person can judge, and an address
 * in a list would also be a way around it for whoever answers to another name there.
 */

/** One entry of an allowlist. */
export interface HostRule {
  /** In lower case, and punycode where it was not ASCII. */
  readonly host: string;
  /** Whether the rule stands for all names below `host` instead of `host` itself. */
  readonly isBelow: boolean;
  readonly ports: readonly number[];
}

/** Where a request wants to go. */
export interface EgressTarget {
  readonly host: string;
  readonly port: number;
}

/** Where an entry without a port leads: plain HTTP and HTTPS. */
const WEB_PORTS: readonly number[] = [80, 443];

const ENTRY = /^(?<below>\*\.)?(?<host>[^:/?#@\\\s*%]+)(?::(?<port>\d{1,5}))?$/;

/**
 * Reads the entries of an allowlist: `example.com`, `*.example.com` (names below it, at any depth), `example.com:8443`.
 * @throws ConfigurationError naming the entry that is none.
 */
export function parseHostRules(entries: readonly string[]): readonly HostRule[] {
  return entries.map((entry) => parseHostRule(entry));
}

/** The hosts that are let through, none where the network is off. */
export function hostsOf(network: NetworkAccess | undefined): readonly string[] {
  return network === undefined || network === "none" ? [] : network;
}

/** Whether one of the rules stands for the target. */
export function allowsTarget(rules: readonly HostRule[], { host, port }: EgressTarget): boolean {
  return rules.some(
    (rule) => rule.ports.includes(port) && (rule.isBelow ? host.endsWith(`.${rule.host}`) : host === rule.host),
  );
}

function parseHostRule(entry: string): HostRule {
  const { below, host: written, port } = ENTRY.exec(entry)?.groups ?? {};
  if (written === undefined) throw badHost(entry, "it is not a host name with an optional port");
  const isBelow = below !== undefined;
  return {
    host: toHostName(entry, written, isBelow),
    isBelow,
    ports: port === undefined ? WEB_PORTS : [toPort(entry, port)],
  };
}

function toHostName(entry: string, written: string, isBelow: boolean): string {
  // The URL standard's own reading, so that a number that it takes for an address (`127.1`, `0x7f000001`) is one here too.
  const host = URL.parse(`http://${written}`)?.hostname;
  if (host === undefined) throw badHost(entry, "it is not a host name");
  if (isIP(host) !== 0) throw badHost(entry, "it is an address");
  if (host.endsWith(".")) throw badHost(entry, "it ends with a dot");
  if (isBelow && !host.includes(".")) throw badHost(entry, "everything below a single word is too much");
  return host;
}

function toPort(entry: string, written: string): number {
  const port = Number(written);
  if (port < 1 || port > 65_535) throw badHost(entry, "its port is not between 1 and 65535");
  return port;
}

function badHost(entry: string, problem: string): ConfigurationError {
  return new ConfigurationError(egressMessages.badHost(entry, problem));
}
