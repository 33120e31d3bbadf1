import type { LayerMount, ManifestEntry } from "./layer.ts";

/** The backends that ship with Cofferdam; a backend of your own may have any name. */
export type BackendName = "isolate" | "virtual" | "bubblewrap" | "docker" | (string & {});

/** What a sandbox is asked to run. */
export type SandboxCommand =
  | { readonly kind: "shell"; readonly script: string }
  | {
      readonly kind: "javascript";
      /** The body of an async function; its `return` value becomes `Execution.value`. */
      readonly code: string;
      /** A JSON value, seen by the code as `input`. */
      readonly input?: unknown;
    };

/** What a command may use up. A backend that cannot enforce one that was asked for refuses to open a session. */
export interface SandboxLimits {
  /** @default 512 (isolate: 128) */
  readonly memoryMb?: number;
  /** @default 256 */
  readonly pids?: number;
  /** @default 1 */
  readonly cpus?: number;
  /** Output kept for the result, head and tail, both streams together. @default 30_000 */
  readonly retainedOutputBytes?: number;
  /** Output after which the command is killed. @default 67_108_864 (64 MiB) */
  readonly floodBytes?: number;
  /** Time between asking a command to stop (SIGTERM) and killing it. @default 2_000 */
  readonly graceMs?: number;
}

/**
 * The network that commands see: none, or only these hosts (`example.com`, `*.example.com`, `example.com:8443`; ports 80 and 443
 * where none is given), over HTTP and HTTPS by a proxy outside of the sandbox. An empty list is none.
 */
export type NetworkAccess = "none" | readonly string[];

/** Where and under which limits to run. */
export interface SandboxRequest {
  /** The layer to work on; without one the command sees no workspace. */
  readonly mount?: LayerMount;
  readonly limits?: SandboxLimits;
  /** @default "none" */
  readonly network?: NetworkAccess;
  /** The whole environment; nothing of the host's is added. */
  readonly env?: Readonly<Record<string, string>>;
  /** Image reference, for backends that run images. */
  readonly image?: string;
}

/** What a backend can do on this machine, found out by trying. */
export type Capabilities =
  | {
      readonly available: true;
      readonly commands: readonly SandboxCommand["kind"][];
      /** How the workspace gets in: the kernel's union, the user-space union, by copy, or not at all. */
      readonly workspace: "mount" | "union" | "copy" | "none";
      /** Limits that are enforced; asking for another one is refused. */
      readonly enforces: readonly (keyof SandboxLimits | "network" | "wallTime")[];
      /** Whether output arrives while the command runs. */
      readonly streams: boolean;
      /** Whether shell commands start real programs, as processes with signals and sessions, or an interpreter plays them. @default false */
      readonly runsPrograms?: boolean;
      /** Whether commands run in an image that can be chosen. @default false */
      readonly runsImages?: boolean;
      /** Whether a list of allowed hosts can be enforced; "network" in `enforces` says that it can be kept off. @default false */
      readonly allowsHosts?: boolean;
      /** Versions and the like, for `doctor`. */
      readonly details: Readonly<Record<string, string>>;
    }
  | {
      readonly available: false;
      /** Why not. */
      readonly reason: string;
      /** What would make it available, as an instruction. */
      readonly remedy: string;
    };

/** How a command ended. `exit` alone means that it ended by itself. */
export type Termination =
  "exit" | "signal" | "timeout" | "idle-timeout" | "output-limit" | "out-of-memory" | "cancelled";

/** A finished command. The sandbox's own failure is thrown instead, and an exit code is never invented. */
export interface Execution {
  readonly termination: Termination;
  /** Present only when the command ended by itself. */
  readonly exitCode: number | null;
  /** The POSIX name of the signal that ended it. */
  readonly signal: string | null;
  /** Retained output; where something was cut, a line says how many bytes. */
  readonly stdout: string;
  readonly stderr: string;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  readonly truncated: boolean;
  readonly durationMs: number;
  /** Processes of the command that live on. The backend has looked. */
  readonly survivors: 0;
  /** What JavaScript code returned. */
  readonly value?: unknown;
  /** Facts for the result's metadata, such as the image. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A piece of output, as it arrives. */
export interface OutputChunk {
  readonly stream: "stdout" | "stderr";
  readonly bytes: Uint8Array;
}

/** How to run one command. */
export interface RunOptions {
  readonly signal?: AbortSignal;
  /** Wall time until the command is stopped. */
  readonly timeoutMs: number;
  /** What the command reads; without it stdin is at its end. */
  readonly stdin?: Uint8Array;
  readonly onOutput?: (chunk: OutputChunk) => void;
}

/** An open sandbox. Disposing of it ends every process in it and removes what it made on the host. */
export interface SandboxSession extends AsyncDisposable {
  readonly backend: BackendName;
  /**
   * Runs one command to its end. At most one at a time.
   * @throws SandboxUnavailableError when the sandbox, not the command, failed.
   */
  run(command: SandboxCommand, options: RunOptions): Promise<Execution>;
  /**
   * What the commands deleted, where the layer's upper directory cannot say so itself (no character devices there).
   * The union of this and a scan of the upper directory is the change.
   */
  reportedEntries?(): readonly ManifestEntry[];
}

/** A kind of sandbox. */
export interface SandboxBackend {
  readonly name: BackendName;
  /** Tries, on this machine and now, what the backend needs. Never throws. */
  probe(): Promise<Capabilities>;
  /**
   * @throws SandboxUnavailableError when it is not available.
   * @throws ConfigurationError when something was asked for that it cannot enforce.
   */
  open(request: SandboxRequest): Promise<SandboxSession>;
}
