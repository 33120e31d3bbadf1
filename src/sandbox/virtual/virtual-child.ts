import { setTimeout as delay } from "node:timers/promises";

import {
  Bash,
  getCommandNames,
  latin1FromBytes,
  stdoutAsBytes,
  type BashExecResult,
  type CommandName,
} from "just-bash";

import { openChildChannel } from "../child-channel.ts";
import type { Frame } from "../frame-protocol.ts";
import { correctDenials } from "./correct-denials.ts";
import { createScriptInterruption } from "./script-interruption.ts";
import { createShellFileSystem, HOME_PATH, WORKSPACE_PATH } from "./shell-filesystem.ts";
import { shellLimits } from "./shell-limits.ts";
import type { VirtualAnswer, VirtualJob } from "./virtual-job.ts";
import { createWorkspaceClient } from "./workspace-client.ts";

/*
 * The process in which one shell script runs, in just-bash's interpreter. It can read its own code and nothing else; the
 * workspace it asks the engine for. just-bash gives a script's output when the script has ended; one that is to stop is
 * interrupted where it waits, and then gives what it printed so far. Nothing is to be had of a script with a redirection
 * that cannot be opened: just-bash knows of no such thing beyond what it looks at beforehand, and gives the script up. It
 * is the script that failed then, and it says so.
 *
 * What a script prints is text to just-bash: bytes that are no UTF-8 come out as the characters with their numbers. Files
 * and pipes within the script carry any bytes.
 */

const MEMORY_FILES_BYTES = 128 * 1024 * 1024;

// sqlite3 wants a thread of its own, which this process may not start.
const COMMANDS = getCommandNames().filter((name) => name !== "sqlite3") as CommandName[]; // typed as plain strings

// A failed file operation, in the form of Node's messages.
const FILE_FAILURE = /^E[A-Z]+: (.+)$/s;

const channel = openChildChannel((frame) => {
  if (frame.header.type === "response") workspace.receive(frame);
  else if (frame.header.type === "stop") void interruption.interrupt();
  else void run(frame);
});
const interruption = createScriptInterruption();
const workspace = createWorkspaceClient(channel, interruption);

async function run(frame: Frame): Promise<void> {
  // The only other frame that the engine sends here.
  const job = frame.header as VirtualJob;
  const bash = new Bash({
    fs: createShellFileSystem({
      workspace: job.hasWorkspace ? workspace : undefined,
      memoryBytes: MEMORY_FILES_BYTES,
    }),
    cwd: WORKSPACE_PATH,
    env: { HOME: HOME_PATH, LANG: "C.UTF-8", ...job.env },
    commands: COMMANDS,
    executionLimitProfile: "hardened",
    executionLimits: shellLimits(job),
    python: false,
    javascript: false,
    sleep: async (durationMs) => await interruption.during(delay(durationMs)),
  });
  const stdin = Buffer.from(frame.body).toString("latin1");
  try {
    const result = await bash.exec(job.script, { rawScript: true, stdin, stdinKind: "bytes" });
    channel.sendOutput("stdout", stdoutBytes(result));
    finish(result);
  } catch (error) {
    const failure = error instanceof Error ? FILE_FAILURE.exec(error.message) : null;
    if (failure === null) throw error;
    finish({ stderr: `bash: ${failure[1]}; the script was stopped there and its output is lost\n`, exitCode: 1 });
  }
}

function finish(result: Pick<BashExecResult, "stderr" | "exitCode">): void {
  channel.sendOutput("stderr", Buffer.from(correctDenials(result.stderr, workspace.denied)));
  const answer: VirtualAnswer = { exitCode: result.exitCode };
  channel.send({ ...answer, type: "report" });
}

function stdoutBytes(result: BashExecResult): Uint8Array {
  return Buffer.from(latin1FromBytes(stdoutAsBytes(result)), "latin1");
}
