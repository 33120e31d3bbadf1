import type Docker from "dockerode";

import type { SandboxLimits } from "../../contract/sandbox.ts";
import { dockerMessages } from "../../errors/messages/docker.ts";
import { callEngine, describeFailure, errorNumberOf } from "./call-engine.ts";
import { engineAddress } from "./connect-docker.ts";

/** How long an Engine may take to say that it is there. */
const GREETING_DEADLINE_MS = 10_000;

/** What an Engine says about itself, as far as it matters here. */
export interface EngineFacts {
  /** Limits that need a control group and have one. */
  readonly enforces: readonly ("memoryMb" | "pids" | "cpus")[];
  readonly cpus: number;
  /** Whether numbers of users mean the same inside a container and outside. */
  readonly mapsUsers: boolean;
  /** Versions and the like, for `doctor`. */
  readonly details: Readonly<Record<string, string>>;
}

/** Whether an Engine can be used, and if not, what to do about it. */
export type EngineState =
  | { readonly usable: true; readonly facts: EngineFacts }
  | { readonly usable: false; readonly reason: string; readonly remedy: string };

/** The part of the Engine's `info` that is read here. */
type EngineInfo = Readonly<{
  MemoryLimit?: boolean;
  SwapLimit?: boolean;
  PidsLimit?: boolean;
  CpuCfsQuota?: boolean;
  NCPU?: number;
  OSType?: string;
  SecurityOptions?: readonly string[] | null;
  ServerVersion?: string;
  Driver?: string;
  CgroupVersion?: string;
  DefaultRuntime?: string;
  KernelVersion?: string;
  Architecture?: string;
}>;

/** Asks the Engine what it is and what it can enforce. */
export async function readEngineFacts(docker: Docker, address?: string): Promise<EngineState> {
  let info: EngineInfo;
  try {
    info = await callEngine("reach the Engine", () => docker.info(), GREETING_DEADLINE_MS);
  } catch (error) {
    return unreachable(error, address);
  }
  if (info.OSType !== "linux") {
    return {
      usable: false,
      reason: dockerMessages.notLinux(info.OSType ?? "unknown"),
      remedy: dockerMessages.notLinuxRemedy,
    };
  }
  return { usable: true, facts: toFacts(info, address) };
}

function toFacts(info: EngineInfo, address: string | undefined): EngineFacts {
  const enforced: Record<SandboxLimitWithGroup, boolean> = {
    // Without control over swap, memory beyond the limit would go there.
    memoryMb: info.MemoryLimit === true && info.SwapLimit === true,
    pids: info.PidsLimit === true,
    cpus: info.CpuCfsQuota === true,
  };
  const limits: readonly SandboxLimitWithGroup[] = ["memoryMb", "pids", "cpus"];
  return {
    enforces: limits.filter((name) => enforced[name]),
    cpus: info.NCPU ?? 1,
    mapsUsers: (info.SecurityOptions ?? []).some((option) => /name=(rootless|userns)/.test(option)),
    details: {
      engine: info.ServerVersion ?? "unknown",
      address: engineAddress(address),
      storage: info.Driver ?? "unknown",
      cgroups: info.CgroupVersion ?? "unknown",
      runtime: info.DefaultRuntime ?? "unknown",
      kernel: info.KernelVersion ?? "unknown",
      architecture: info.Architecture ?? "unknown",
    },
  };
}

type SandboxLimitWithGroup = Extract<keyof SandboxLimits, "memoryMb" | "pids" | "cpus">;

function unreachable(error: unknown, address: string | undefined): EngineState {
  const at = engineAddress(address);
  const errorNumber = errorNumberOf(error);
  if (errorNumber === "EACCES" || errorNumber === "EPERM") {
    return { usable: false, reason: dockerMessages.noPermission(at), remedy: dockerMessages.noPermissionRemedy };
  }
  const context = process.env.DOCKER_CONTEXT;
  const isContextIgnored = address === undefined && !process.env.DOCKER_HOST && context !== undefined && context !== "";
  return {
    usable: false,
    reason: errorNumber === undefined ? describeFailure(error) : dockerMessages.noEngine(at),
    remedy: isContextIgnored ? dockerMessages.contextIgnored(context) : remedyFor(address),
  };
}

/** Starting this machine's Engine does not help who has named another one. */
function remedyFor(address: string | undefined): string {
  const isNamed = address === undefined && process.env.DOCKER_HOST;
  return isNamed ? dockerMessages.namedEngineRemedy : dockerMessages.noEngineRemedy;
}
