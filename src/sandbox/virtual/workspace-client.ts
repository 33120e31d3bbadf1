import type { ChildChannel } from "../child-channel.ts";
import type { Frame } from "../frame-protocol.ts";
import type { ScriptInterruption } from "./script-interruption.ts";
import type { WorkspaceAnswer, WorkspaceRequest } from "./workspace-protocol.ts";

/** Asks the engine for file operations, from the shell's process. */
export interface WorkspaceClient {
  /** @throws Error with the POSIX name and text that shells expect, when the operation failed. */
  ask(
    request: WorkspaceRequest,
    body?: Uint8Array,
  ): Promise<{ readonly answer: WorkspaceAnswer; readonly body: Uint8Array }>;
  /** The paths that permissions kept from being read so far. */
  readonly denied: ReadonlySet<string>;
  /** Takes the frame that answers a request. */
  receive(frame: Frame): void;
}

// So few that neither side ever has to hold much of what the other has not taken yet.
const MAX_REQUESTS_AT_ONCE = 16;
/** A script may try as many paths as it likes. */
const MAX_DENIED = 1_000;

/** Makes a client that asks over the channel, for a script that may be interrupted while it waits for the answer. */
export function createWorkspaceClient(
  channel: ChildChannel,
  interruption: Pick<ScriptInterruption, "during">,
): WorkspaceClient {
  const open = new Map<number, (frame: Frame) => void>();
  const waiting: (() => void)[] = [];
  const denied = new Set<string>();
  let lastId = 0;
  return {
    denied,
    async ask(request, body) {
      // Who is let in takes the place of who has just left, so that nobody can slip in between.
      if (open.size >= MAX_REQUESTS_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
      lastId += 1;
      const id = lastId;
      const answered = new Promise<Frame>((resolve) => open.set(id, resolve));
      channel.send({ ...request, type: "request", id }, body);
      const frame = await interruption.during(answered);
      // The engine is the one side that is trusted here.
      const answer = frame.header as WorkspaceAnswer & Frame["header"];
      if (answer.error === "EACCES" && denied.size < MAX_DENIED) denied.add(request.path);
      if (answer.error !== undefined) throw new Error(describeFailure(answer.error, request));
      return { answer, body: frame.body };
    },
    receive(frame) {
      const id = Number(frame.header["id"]);
      open.get(id)?.(frame);
      open.delete(id);
      waiting.shift()?.();
    },
  };
}

const TEXTS: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  ENOTDIR: "not a directory",
  EISDIR: "illegal operation on a directory",
  EINVAL: "invalid argument",
  EEXIST: "file already exists",
  ENOTEMPTY: "directory not empty",
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  ELOOP: "too many symbolic links encountered",
  EFBIG: "file too large",
  ENOSPC: "no space left on device",
};

/** In the form of Node's messages, which the shell's commands read. */
function describeFailure(error: string, request: WorkspaceRequest): string {
  return `${error}: ${TEXTS[error] ?? "operation failed"}, ${request.op} '/workspace/${request.path}'`;
}
