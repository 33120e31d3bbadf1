import { guestInspectSource } from "./guest-inspect.ts";

/*
 * What the guest finds in its world besides the language: `console`, `setTimeout`, `clearTimeout`. WebAssembly is taken
 * away, because its memory counts against no limit of the isolate.
 *
 * The functions here are turned into text and run inside the isolate, so they refer to each other, their arguments and
 * the language's globals only. The host's functions come in as plain functions that copy their arguments (isolated-vm's
 * callbacks); no reference, handle or other object of the host is ever passed in. What the guest does to the prototypes
 * of its own world can spoil its own output and nothing else, so nothing here defends against it.
 */

/** What the host lends the guest. */
export interface GuestBridge {
  readonly inputJson: string;
  readonly print: (stream: "stdout" | "stderr", text: string) => void;
  readonly startTimer: (id: number, delayMs: number) => void;
  readonly clearTimer: (id: number) => void;
  /** Ends the run with what an exception that nobody caught shows. */
  readonly fail: (text: string) => void;
}

/** What the host calls in the guest. */
export interface GuestEntryPoints {
  /** Runs the code and answers `v` and the JSON of its value, `u` for no value, or `e` and what to print. */
  readonly execute: (code: (input: unknown) => Promise<unknown>) => Promise<string>;
  readonly fireTimer: (id: number) => void;
  /** @throws SyntaxError when the text is not, on its own, the body of an async function. */
  readonly assertBody: (code: string) => void;
}

/** The name under which the guest's stack traces know this code; it is left out of what is printed. */
export const GUEST_GLOBALS_FILE = "cofferdam:globals";

/** The source that sets the guest up; `$0` to `$4` are the parts of the bridge, in the order of its type. */
export function guestGlobalsSource(): string {
  const install = [installGuestGlobals, createConsole, createTimers, createExecute, describeThrown].join("\n");
  return `${guestInspectSource()}\n${install}\nreturn installGuestGlobals(
    { inputJson: $0, print: $1, startTimer: $2, clearTimer: $3, fail: $4 });`;
}

function installGuestGlobals(bridge: GuestBridge): GuestEntryPoints {
  const { setTimeout, clearTimeout, fireTimer } = createTimers(bridge);
  const globals = { console: createConsole(bridge.print), setTimeout, clearTimeout };
  for (const [name, value] of Object.entries(globals)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  }
  Reflect.deleteProperty(globalThis, "WebAssembly");
  // The constructor of async functions has no name of its own.
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  return {
    execute: createExecute(bridge.inputJson),
    fireTimer,
    assertBody(code) {
      // Parsing is the check: the constructor takes nothing that closes the function it stands in.
      AsyncFunction("input", code);
    },
  };
}

function createConsole(print: GuestBridge["print"]): object {
  // The host takes output in pieces of at most this many characters.
  const pieceLength = 16_384;
  const printer =
    (stream: "stdout" | "stderr") =>
    (...values: readonly unknown[]): void => {
      const text = `${formatArguments(values)}\n`;
      for (let start = 0; start < text.length; start += pieceLength) {
        print(stream, text.slice(start, start + pieceLength));
      }
    };
  const [out, err] = [printer("stdout"), printer("stderr")];
  return { log: out, info: out, debug: out, warn: err, error: err };
}

function createTimers(bridge: GuestBridge): {
  readonly setTimeout: (action: unknown, delayMs?: unknown, ...values: readonly unknown[]) => number;
  readonly clearTimeout: (id?: unknown) => void;
  readonly fireTimer: (id: number) => void;
} {
  const pending = new Map<number, () => unknown>();
  let lastId = 0;
  return {
    setTimeout(action, delayMs, ...values) {
      if (typeof action !== "function") throw new TypeError("The first argument of setTimeout must be a function");
      lastId += 1;
      bridge.startTimer(lastId, Number(delayMs ?? 0));
      pending.set(lastId, () => Reflect.apply(action, undefined, values));
      return lastId;
    },
    clearTimeout(id) {
      if (typeof id === "number" && pending.delete(id)) bridge.clearTimer(id);
    },
    fireTimer(id) {
      const action = pending.get(id);
      pending.delete(id);
      try {
        action?.();
      } catch (error) {
        bridge.fail(describeThrown(error));
      }
    },
  };
}

function createExecute(inputJson: string): GuestEntryPoints["execute"] {
  const freeze = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    Object.values(value).forEach(freeze);
    return Object.freeze(value);
  };
  const input = freeze(JSON.parse(inputJson));
  const { stringify } = JSON;
  return async (code) => {
    let value: unknown;
    try {
      value = await code(input);
    } catch (error) {
      return `e${describeThrown(error)}`;
    }
    if (value === undefined) return "u";
    try {
      const json: unknown = stringify(value);
      return typeof json === "string" ? `v${json}` : `eThe code returned a ${typeof value}, which is no JSON value`;
    } catch (error) {
      return `eThe code returned what is no JSON value: ${error instanceof Error ? error.message : String(error)}`;
    }
  };
}

function describeThrown(thrown: unknown): string {
  try {
    if (!(thrown instanceof Error)) return `Uncaught ${formatArguments([thrown])}`;
    const lines = formatArguments([thrown]).split("\n");
    return lines.filter((line) => !line.includes("cofferdam:globals")).join("\n");
  } catch {
    return "Uncaught exception that cannot be shown";
  }
}

/** From `guestInspectSource`. */
declare function formatArguments(values: readonly unknown[]): string;
