import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The bin as it is published. */
export const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** A directory to work on and a state directory, both real and both removed at the end. */
export interface TestProject extends AsyncDisposable {
  readonly root: string;
  /** What a spawned command line gets: nothing of the user's own configuration. */
  readonly env: NodeJS.ProcessEnv;
  /** Every file in the root and its content. */
  files(): Promise<Readonly<Record<string, string>>>;
  /** Runs the bin in the root, to its end. */
  run(words: readonly string[], options?: { readonly stdin?: string }): Promise<Finished>;
  /** Starts the bin in the root. */
  start(words: readonly string[]): Started;
}

/** A command line that has ended. */
export interface Finished {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** One that runs. */
export interface Started {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** Settles when stdout or stderr holds the text. */
  waitFor(text: string): Promise<void>;
}

/** Makes a project that holds these files. */
export async function createProject(files: Readonly<Record<string, string>>): Promise<TestProject> {
  if (!existsSync(MAIN)) throw new Error(`Cannot test "${MAIN}": it is not built; run npm run build`);
  const base = await mkdtemp(join(tmpdir(), "cofferdam-e2e-"));
  const root = join(base, "root");
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  const env = {
    PATH: process.env["PATH"],
    HOME: join(base, "home"),
    COFFERDAM_STATE: join(base, "state"),
    TERM: "xterm",
    NO_COLOR: "1",
  };
  const start = (words: readonly string[], stdin?: string): Started => startBin(words, { cwd: root, env, stdin });
  return {
    root,
    env,
    files: async () => await readTree(root),
    run: async (words, options = {}) => await start(words, options.stdin).finished,
    start: (words) => start(words),
    [Symbol.asyncDispose]: async () => await rm(base, { recursive: true, force: true }),
  };
}

async function readTree(root: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(
    files.map(async (file) => [file.slice(root.length + 1), await readFile(file, "utf8")]),
  );
  return Object.fromEntries(contents) as Readonly<Record<string, string>>;
}

function startBin(
  words: readonly string[],
  { cwd, env, stdin }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly stdin: string | undefined },
): Started {
  const child = spawn(process.execPath, [MAIN, ...words], { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.end(stdin);
  const output = { stdout: "", stderr: "" };
  let wake: (() => void) | undefined;
  for (const name of ["stdout", "stderr"] as const) {
    child[name].on("data", (chunk: Buffer) => {
      output[name] += chunk.toString();
      wake?.();
    });
  }
  const finished = new Promise<Finished>((resolve) => {
    child.on("close", (exitCode, signal) => {
      resolve({ exitCode, signal, ...output });
      wake?.();
    });
  });
  return {
    child,
    finished,
    async waitFor(text) {
      while (!output.stdout.includes(text) && !output.stderr.includes(text)) {
        if (child.exitCode !== null) throw new Error(`It ended before "${text}":\n${output.stdout}${output.stderr}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
