import { spawn } from "node:child_process";
import { quoteForShell } from "../../src/cli/quote-for-shell.ts";

/** A program on a pseudo-terminal of its own, driven like a person would. */
export interface PseudoTerminal extends AsyncDisposable {
  /** Everything that has appeared so far, control sequences included. */
  readonly screen: () => string;
  /** Settles when the text has appeared after everything that was waited for before. */
  waitFor(text: string): Promise<void>;
  type(keys: string): void;
  /** What the program exited with. */
  readonly exitCode: Promise<number>;
}

/** How to start the program. */
export interface TerminalOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Starts a program under script(1), which gives it a terminal (of no size, until stty says one) and passes on its exit code. */
export function openPseudoTerminal(words: readonly string[], options: TerminalOptions = {}): PseudoTerminal {
  const command = words.map((word) => quoteForShell(word)).join(" ");
  const child = spawn("script", ["-qfec", `stty columns 120 rows 40; exec ${command}`, "/dev/null"], {
    cwd: options.cwd,
    env: { ...process.env, TERM: "xterm", ...options.env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let screen = "";
  let seen = 0;
  let wake: (() => void) | undefined;
  child.stdout.on("data", (chunk: Buffer) => {
    screen += chunk.toString();
    wake?.();
  });
  const exitCode = new Promise<number>((resolve) => {
    child.on("close", (code) => {
      resolve(code ?? -1);
      wake?.();
    });
  });
  return {
    screen: () => screen,
    exitCode,
    type: (keys) => {
      child.stdin.write(keys);
    },
    async waitFor(text) {
      for (;;) {
        const index = screen.indexOf(text, seen);
        if (index >= 0) {
          seen = index + text.length;
          return;
        }
        if (child.exitCode !== null) throw new Error(`The program ended before "${text}" appeared:\n${screen}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      if (child.exitCode === null) child.kill("SIGKILL");
      await exitCode;
    },
  };
}
