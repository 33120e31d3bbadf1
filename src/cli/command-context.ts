import type { Engine, EngineOptions } from "../contract/engine.ts";
import type { Interruption } from "./interruption.ts";
import type { OutputStream } from "./terminal/output-stream.ts";
import type { Prompts } from "./terminal/prompts.ts";

/** Everything that a command gets from outside, so that a test can give it something else. */
export interface CommandContext {
  /** Opens an engine; nothing heavy is loaded before. */
  readonly openEngine: (options: EngineOptions) => Promise<Engine>;
  readonly buildImage: BuildImage;
  /** Removes what killed engines left, and counts what it was in Docker. */
  readonly removeOrphans: () => Promise<{ readonly containers: number; readonly volumes: number }>;
  readonly out: OutputStream;
  /** Takes everything that is ours to say. */
  readonly err: OutputStream;
  readonly readStdin: () => Promise<string>;
  /** Stdin is a pipe of a shell or a file, which somebody may have meant for the command. */
  readonly hasPipedInput: () => boolean;
  /** Somebody can be asked: stdin and stderr are terminals. */
  readonly isInteractive: boolean;
  readonly prompts: Prompts;
  readonly environment: NodeJS.ProcessEnv;
  /** Watches for signals until it is disposed of. */
  readonly watchInterruption: () => Interruption;
  /** What the process ends with. */
  readonly setExitCode: (code: number) => void;
}

/** Builds a sandbox image with the Docker Engine. */
export type BuildImage = (options: {
  readonly image?: string;
  readonly dockerfile: string;
  readonly base?: string;
  readonly network?: "host";
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal;
}) => Promise<{ readonly imageId: string; readonly tag: string }>;
