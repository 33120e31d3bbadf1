import { HOME_DIRECTORY } from "../command-environment.ts";
import type { SandboxIdentity } from "./sandbox-identity.ts";

/** The files of accounts and hosts that a command sees: itself, and what programs expect to exist. */
export function accountFiles({
  uid,
  gid,
}: Pick<SandboxIdentity, "uid" | "gid">): Readonly<Record<"passwd" | "group" | "hosts", Buffer>> {
  return {
    passwd: Buffer.from(
      `root:x:0:0:root:/root:/bin/sh\nagent:x:${uid}:${gid}:agent:${HOME_DIRECTORY}:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n`,
    ),
    group: Buffer.from(`root:x:0:\nagent:x:${gid}:\nnogroup:x:65534:\n`),
    hosts: Buffer.from("127.0.0.1 localhost sandbox\n::1 localhost\n"),
  };
}
