import type { HostConfig } from "dockerode";

/*
 * What holds in every container of ours in which something runs, whatever it is for and whatever image it is made from.
 *
 * - `Init`: docker-init is process 1. It passes SIGTERM on (a shell as process 1 would ignore it) and reaps orphans; when
 *   the shell ends it ends, and with process 1 the kernel kills every process of the container, setsid or not.
 * - `LogConfig none`: the json-file driver would write a flood to the host's disk. Output comes over the attached stream.
 */

/**
 * The part of a host configuration that no such container goes without: no network, no capability, nothing to write to.
 * @param securityOptions what has to be said to security modules beyond that
 */
export function lockdown(securityOptions: readonly string[] = []): HostConfig {
  return {
    NetworkMode: "none",
    CapDrop: ["ALL"],
    SecurityOpt: ["no-new-privileges:true", ...securityOptions],
    ReadonlyRootfs: true,
    IpcMode: "private",
    Init: true,
    LogConfig: { Type: "none", Config: {} },
    RestartPolicy: { Name: "no" },
  };
}
