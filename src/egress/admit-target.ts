import type { LookupFunction } from "node:net";

import { egressMessages } from "../errors/messages/egress.ts";
import { allowsTarget } from "./host-rule.ts";
import type { EgressTarget, HostRule } from "./host-rule.ts";
import { isPublicAddress, resolveWithSystem } from "./resolve-target.ts";
import type { ResolvedAddress, ResolveHost } from "./resolve-target.ts";

/** What decides where requests may go. */
export interface EgressPolicy {
  readonly rules: readonly HostRule[];
  /** @default the system's name service */
  readonly resolve?: ResolveHost;
  /** Which addresses may be connected to. @default those of the public Internet */
  readonly mayConnect?: (address: string) => boolean;
}

/** Whether a request may go where it wants to, and to which addresses then; these, and no others that the name gets later. */
export type Admission =
  | { readonly admitted: true; readonly addresses: readonly ResolvedAddress[] }
  | { readonly admitted: false; readonly reason: string };

/** Judges a target: its host and port must be in the list, and all its addresses must be ones that may be connected to. */
export async function admitTarget(target: EgressTarget, policy: EgressPolicy): Promise<Admission> {
  const { rules, resolve = resolveWithSystem, mayConnect = isPublicAddress } = policy;
  const { host, port } = target;
  if (!allowsTarget(rules, target)) return refused(egressMessages.notInList(host, port));
  const addresses = await resolve(host).catch(() => []);
  if (addresses.length === 0) return refused(egressMessages.unresolved(host));
  if (!addresses.every(({ address }) => mayConnect(address))) return refused(egressMessages.notPublic(host));
  return { admitted: true, addresses };
}

/** A name service that knows one answer. */
export function answerWith(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_host, { all, family }, callback) => {
    if (all === true) {
      callback(null, [...addresses]);
      return;
    }
    const one = addresses.find((each) => each.family === family) ?? addresses[0];
    callback(null, one?.address ?? "", one?.family);
  };
}

function refused(reason: string): Admission {
  return { admitted: false, reason };
}
