import { createRequire } from "node:module";

import type ivm from "isolated-vm";

import { openChildChannel, type ChildChannel } from "../child-channel.ts";
import type { Frame } from "../frame-protocol.ts";
import { GUEST_GLOBALS_FILE, guestGlobalsSource, type GuestEntryPoints } from "./guest-globals.ts";
import { MAX_VALUE_CHARACTERS, type IsolateJob, type IsolateAnswer } from "./isolate-job.ts";

/*
 * The process in which one piece of JavaScript runs: guest code in an isolate on a thread of its own, this module on the
 * main thread, which serves the guest's console and timers. It answers once and is then killed by the engine; it never
 * decides for itself how long it runs. When even V8 gives up on the isolate, the answer is still "out of memory".
 */

type IsolatedVm = typeof ivm;

/** The parts of the guest that the host may call. */
interface Guest {
  readonly execute: ivm.Reference<GuestEntryPoints["execute"]>;
  readonly fireTimer: ivm.Reference<GuestEntryPoints["fireTimer"]>;
  readonly assertBody: ivm.Reference<GuestEntryPoints["assertBody"]>;
}

const MAX_PRINTED_CHARACTERS = 16_384;
const MAX_TIMERS = 1_000;
const MAX_DELAY_MS = 2_147_483_647;
const CODE_FILE = "script.js";

const channel = openChildChannel((frame) => void start(channel, frame));

async function start(channel: ChildChannel, frame: Frame): Promise<void> {
  // The only frame that the engine sends here.
  const job = frame.header as IsolateJob;
  const report = (answer: IsolateAnswer) => channel.send({ ...answer, type: "report" });
  const fail = (text: string) => {
    channel.sendOutput("stderr", Buffer.from(`${text}\n`));
    report({ outcome: "failed" });
  };
  // What it exports is fixed by its own types.
  const isolatedVm = createRequire(import.meta.url)(job.isolatedVm) as IsolatedVm;
  // Loading is over: from here on this process needs no file at all.
  dropFileAccess();
  const isolate = new isolatedVm.Isolate({
    memoryLimit: job.memoryMb,
    onCatastrophicError: () => report({ outcome: "out-of-memory" }),
  });
  try {
    const answer = await runInIsolate(isolate, { job, isolatedVm, channel, fail });
    if (answer.startsWith("e")) fail(answer.slice(1));
    else if (answer.length > MAX_VALUE_CHARACTERS) fail(tooLarge);
    else if (answer === "u") report({ outcome: "returned-nothing" });
    else report({ outcome: "returned", json: answer.slice(1) });
  } catch (error) {
    if (isolate.isDisposed) report({ outcome: "out-of-memory" });
    else fail(describeError(error));
  }
}

function dropFileAccess(): void {
  // Node's types do not know the method yet, and the first releases of Node 24 do not have it.
  const { permission }: { permission: { drop?: (scope: string) => void; has: unknown } } = process;
  permission.drop?.("fs.read");
}

const tooLarge = `The code returned more than ${MAX_VALUE_CHARACTERS.toLocaleString("en-US")} characters of JSON`;

interface IsolateRun {
  readonly job: IsolateJob;
  readonly isolatedVm: IsolatedVm;
  readonly channel: ChildChannel;
  readonly fail: (text: string) => void;
}

async function runInIsolate(isolate: ivm.Isolate, run: IsolateRun): Promise<string> {
  const context = await isolate.createContext();
  const guest = await installGuest(context, run);
  // The line offset makes line 1 of a stack trace line 1 of the code.
  const source = `(async function (input) {\n${run.job.code}\n})`;
  const script = await isolate.compileScript(source, { filename: CODE_FILE, lineOffset: -1 });
  await guest.assertBody.apply(undefined, [run.job.code]);
  const code = await script.run(context, { reference: true });
  const answer: unknown = await guest.execute.apply(undefined, [code.derefInto()], {
    result: { promise: true, copy: true },
  });
  // The guest can replace what it runs in, but only by its own doing.
  return typeof answer === "string" ? answer : "eThe code replaced its own environment";
}

async function installGuest(context: ivm.Context, run: IsolateRun): Promise<Guest> {
  let guest: Guest | undefined;
  const timers = createHostTimers((id) => guest?.fireTimer.applyIgnored(undefined, [id]));
  const print = (stream: unknown, text: unknown) => {
    if (typeof text !== "string" || text.length > MAX_PRINTED_CHARACTERS) throw new TypeError("This is no output");
    run.channel.sendOutput(stream === "stderr" ? "stderr" : "stdout", Buffer.from(text));
  };
  const fail = (text: unknown) => run.fail(String(text));
  const lend = (action: (...values: readonly unknown[]) => void): ivm.Callback => new run.isolatedVm.Callback(action);
  const bridge = [run.job.inputJson, lend(print), lend(timers.start), lend(timers.clear), lend(fail)];
  const entries = await context.evalClosure(guestGlobalsSource(), bridge, {
    filename: GUEST_GLOBALS_FILE,
    result: { reference: true },
  });
  guest = {
    execute: await entries.get("execute", { reference: true }),
    fireTimer: await entries.get("fireTimer", { reference: true }),
    assertBody: await entries.get("assertBody", { reference: true }),
  };
  return guest;
}

function createHostTimers(fire: (id: number) => void): {
  readonly start: (id: unknown, delayMs: unknown) => void;
  readonly clear: (id: unknown) => void;
} {
  const timers = new Map<unknown, NodeJS.Timeout>();
  return {
    start(id, delayMs) {
      if (timers.size >= MAX_TIMERS) throw new RangeError(`There are ${MAX_TIMERS} timers already`);
      const wait = Math.min(Math.max(Number(delayMs), 0), MAX_DELAY_MS);
      const timer = setTimeout(() => {
        timers.delete(id);
        fire(Number(id));
      }, wait);
      timers.set(id, timer);
    },
    clear(id) {
      clearTimeout(timers.get(id));
      timers.delete(id);
    },
  };
}

/** What the guest is shown of an error that came out of the isolate: its message and its own lines of the stack. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return "The code could not be run";
  const place = / \[(script\.js:\d+:\d+)\]$/.exec(error.message);
  if (place !== null) return `${error.name}: ${error.message.slice(0, place.index)}\n    at ${place[1]}`;
  const guestLines = (error.stack ?? "").split("\n    at ").filter((line) => line.includes(CODE_FILE));
  return [`${error.name}: ${error.message}`, ...guestLines.map((line) => line.trimEnd())].join("\n    at ");
}
