import type { ContainerCreateOptions, MountConfig } from "dockerode";

import { WORKSPACE_MOUNT } from "../../union/normalize-path.ts";
import { commandEnvironment, HOME_DIRECTORY } from "../command-environment.ts";
import type { ResolvedLimits } from "../command-limits.ts";
import { lockdown } from "./lockdown.ts";

/*
 * What a command's container may do, beyond what `lockdown` says of all: compute, write below /workspace, and write to
 * three tmpfs that vanish with it. Whatever an image brings of its own accord (entrypoint, health check, user, volumes) is
 * overridden or thrown away; its ENV lines stay, because PATH and the like are part of what makes it work.
 *
 * `Memory = MemorySwap`: no swap, so that the limit is the limit.
 */

/** What a command's container is made from. */
export interface ContainerPlan {
  /** The image's id, so that a tag that moves changes nothing. */
  readonly imageId: string;
  /** Absolute path of the shell in the image. */
  readonly shell: string;
  readonly script: string;
  readonly user: { readonly uid: number; readonly gid: number };
  readonly limits: ResolvedLimits;
  readonly environment: Readonly<Record<string, string>>;
  /** The volume with the workspace; without one `/workspace` is an empty tmpfs. */
  readonly volumeName?: string;
  readonly hasStdin: boolean;
  /** Name of the container whose network it shares; without one it has none but its own loopback. */
  readonly networkOf?: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** The request that makes a command's container. */
export function containerOptions(plan: ContainerPlan): ContainerCreateOptions {
  const { limits, user } = plan;
  const memoryBytes = limits.memoryMb * 1024 ** 2;
  return {
    Image: plan.imageId,
    Entrypoint: [plan.shell],
    Cmd: ["-c", "--", plan.script],
    User: `${user.uid}:${user.gid}`,
    WorkingDir: WORKSPACE_MOUNT,
    // A network that is shared brings its own.
    ...(plan.networkOf === undefined ? { Hostname: "sandbox" } : {}),
    Env: environmentLines(plan.environment),
    Labels: { ...plan.labels },
    Tty: false,
    AttachStdin: plan.hasStdin,
    AttachStdout: true,
    AttachStderr: true,
    OpenStdin: plan.hasStdin,
    StdinOnce: plan.hasStdin,
    Healthcheck: { Test: ["NONE"] },
    HostConfig: {
      ...lockdown(),
      ...(plan.networkOf === undefined ? {} : { NetworkMode: `container:${plan.networkOf}` }),
      // When the machine itself runs out of memory, the sandbox goes first.
      OomScoreAdj: 500,
      Memory: memoryBytes,
      MemorySwap: memoryBytes,
      NanoCpus: Math.round(limits.cpus * 1e9),
      PidsLimit: limits.pids,
      Ulimits: [
        { Name: "core", Soft: 0, Hard: 0 },
        { Name: "nofile", Soft: 4096, Hard: 4096 },
      ],
      Tmpfs: tmpfsMounts(plan),
      Mounts: volumeMounts(plan.volumeName),
    },
  };
}

/** The mount of a workspace volume; `NoCopy`, so that nothing of the image's own directory gets in. */
export function volumeMounts(volumeName: string | undefined): MountConfig {
  if (volumeName === undefined) return [];
  return [
    {
      Type: "volume",
      Source: volumeName,
      Target: WORKSPACE_MOUNT,
      VolumeOptions: { NoCopy: true, Labels: {}, DriverConfig: { Name: "local", Options: {} } },
    },
  ];
}

/** Pages of a tmpfs count as the container's memory; its size makes a full one an error instead of a kill. */
function tmpfsMounts(plan: ContainerPlan): Record<string, string> {
  const { user, limits } = plan;
  const shareMb = (share: number): number => Math.max(1, Math.floor(limits.memoryMb * share));
  const owned = `rw,exec,nosuid,nodev,mode=0700,uid=${user.uid},gid=${user.gid}`;
  return {
    "/tmp": `rw,exec,nosuid,nodev,mode=1777,size=${shareMb(0.5)}m`,
    "/run": `rw,noexec,nosuid,nodev,mode=1777,size=${Math.min(16, shareMb(0.25))}m`,
    [HOME_DIRECTORY]: `${owned},size=${shareMb(0.25)}m`,
    ...(plan.volumeName === undefined ? { [WORKSPACE_MOUNT]: `${owned},size=${shareMb(0.25)}m` } : {}),
  };
}

function environmentLines(environment: Readonly<Record<string, string>>): string[] {
  return Object.entries(commandEnvironment(environment)).map(([name, value]) => `${name}=${value}`);
}
