import type { Capabilities, SandboxBackend, SandboxCommand, SandboxLimits } from "../../contract/sandbox.ts";

/** What a backend that is available says of itself. */
export type AvailableCapabilities = Extract<Capabilities, { readonly available: true }>;

/** A backend that is held to the contract. */
export interface BackendUnderTest {
  readonly backend: SandboxBackend;
  /** What its probe said: checks of what it does not claim do not apply. */
  readonly capabilities: AvailableCapabilities;
  /** Names whatever processes have `marker` on their command line, wherever the backend's processes are to be seen. */
  readonly findProcesses: (marker: string) => Promise<readonly string[]>;
}

/** One promise of the sandbox contract, and how to find out whether a backend keeps it. */
export interface BackendCheck {
  /** As a sentence, such as `run() closes stdin when there is nothing to read`. */
  readonly name: string;
  /** What a backend claims that this is about; all of it has to hold. */
  readonly needs: readonly BackendNeed[];
  /** @throws AssertionError when the promise is broken, or whatever the backend throws against it. */
  run(this: void, target: BackendUnderTest): Promise<void>;
}

/** Something that a backend may claim, or that it leaves out, as far as a check depends on it. */
export type BackendNeed =
  | SandboxCommand["kind"]
  | keyof SandboxLimits
  | "network"
  | "wallTime"
  | "one kind"
  | "programs"
  | "workspace"
  | "streams"
  | "images"
  | "no images"
  | "no hosts"
  | "limits left out";

/** Why a check that needs this does not apply to a backend; `undefined` when it does. */
export function unmetNeed(need: BackendNeed, capabilities: AvailableCapabilities): string | undefined {
  const { commands, enforces } = capabilities;
  switch (need) {
    case "shell":
    case "javascript":
      return commands.includes(need) ? undefined : `runs no ${need} commands`;
    case "one kind":
      return commands.length === 1 ? undefined : "runs every kind of command";
    case "programs":
      return capabilities.runsPrograms === true ? undefined : "runs no real programs";
    case "workspace":
      return capabilities.workspace === "none" ? "shows no workspace" : undefined;
    case "streams":
      return capabilities.streams ? undefined : "gives output only when the command has ended";
    case "images":
      return capabilities.runsImages === true ? undefined : "runs no images";
    case "no images":
      return capabilities.runsImages === true ? "runs images" : undefined;
    case "no hosts":
      return capabilities.allowsHosts === true ? "lets single hosts through" : undefined;
    case "limits left out":
      return LIMITS.every((limit) => enforces.includes(limit)) ? "enforces every limit" : undefined;
    default:
      return enforces.includes(need) ? undefined : `does not enforce "${need}"`;
  }
}

/** Every limit that there is. */
export const LIMITS: readonly (keyof SandboxLimits)[] = [
  "memoryMb",
  "pids",
  "cpus",
  "retainedOutputBytes",
  "floodBytes",
  "graceMs",
];
