import { lookup } from "node:dns/promises";

import ipaddr from "ipaddr.js";

/** An address that a name stands for. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Finds the addresses of a name. */
export type ResolveHost = (host: string) => Promise<readonly ResolvedAddress[]>;

/** Asks the system, as every other program on the machine does. */
export const resolveWithSystem: ResolveHost = async (host) => await lookup(host, { all: true });

/**
 * Whether an address is one of the public Internet. Private networks, this machine, link-local addresses (where cloud machines
 * keep their credentials), multicast and everything else that is set aside is not, also when it is written within IPv6.
 */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === "unicast";
}
