/**
 * Uses ripgrep to rule files out. Its word counts only for files that no layer touches, and only when it says that it has
 * looked at a file and found nothing: whatever it leaves out, by its own reading of a .gitignore file or a glob, because
 * a file is too large, or because it failed, is read by the engine as if there were no ripgrep. So it cannot change a
 * result, and nothing that it prints is shown. It follows no symlink, reads no configuration and starts no program.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import type { Prefilter, PrefilterRequest } from "../../contract/prefilter.ts";
import type { UnionView } from "../../union/union-view.ts";
import { MAX_SEARCHED_BYTES } from "../searched-files.ts";
import { weakenExpression, type WeakExpression } from "./weaken-expression.ts";

/** The program, and the workspace that it looks at. */
export interface RipgrepPlace {
  /** Absolute. */
  readonly program: string;
  readonly view: Pick<UnionView, "root" | "tree">;
}

/** Starts ripgrep in a directory of the root; `undefined` when it cannot be asked for what is searched for. */
export function startRipgrep(place: RipgrepPlace, request: PrefilterRequest): Prefilter | undefined {
  const weak = weakenExpression(request.expression, request);
  // A name that is not UTF-8 cannot be given to a new process as its directory.
  if (weak === undefined || !request.start.isWellFormed()) return undefined;
  const { root, tree } = place.view;
  const child = spawn(place.program, argumentsFor(request, weak), {
    cwd: join(root, request.start),
    env: {},
    stdio: ["ignore", "pipe", "ignore"],
    signal: request.signal,
    killSignal: "SIGKILL",
  });
  const verdicts = new Verdicts(child);
  return {
    holdsNoMatch: (path) =>
      tree.lookup(path).state === "untouched" &&
      verdicts.of(request.start === "" ? path : path.slice(request.start.length + 1)),
    [Symbol.asyncDispose]: () => verdicts[Symbol.asyncDispose](),
  };
}

const ALWAYS = [
  "--no-config",
  "--no-messages",
  "--no-mmap",
  "--hidden",
  "--text",
  "--encoding=none",
  "--no-require-git",
];
const COUNT = ["--count", "--include-zero", "--max-count=1", "--null", `--max-filesize=${MAX_SEARCHED_BYTES}`];
/** Other ignore files than .gitignore are not the engine's, and what lies above was decided when the walk began. */
const OWN_IGNORE = ["--no-ignore-dot", "--no-ignore-exclude", "--no-ignore-global", "--no-ignore-parent"];

function argumentsFor(request: PrefilterRequest, weak: WeakExpression): readonly string[] {
  return [
    ...ALWAYS,
    ...COUNT,
    ...(request.includeIgnored ? ["--no-ignore"] : OWN_IGNORE),
    weak.ignoreCase ? "--ignore-case" : "--case-sensitive",
    ...request.globs.map((glob) => `--glob=${glob}`),
    "-e",
    weak.source,
    "--",
    "./",
  ];
}

/** Never rejects. */
async function untilGone(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve) => {
    child.once("close", () => resolve());
    // A process that the signal of the call ends has an error too, and is gone a little later.
    child.on("error", () => {
      if (child.pid === undefined) resolve();
    });
  });
}

/** After that many characters of it, its word is not asked for any more. */
const MAX_OUTPUT_CHARACTERS = 134_217_728;

/** What ripgrep has said so far: `./PATH`, NUL, how many lines match, LF. */
class Verdicts implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  readonly #matches = new Map<string, boolean>();
  readonly #waiting = new Map<string, (holdsNoMatch: boolean) => void>();
  #hasEnded = false;
  #received = 0;
  /** What has not been read yet; it begins with the count of the path before. */
  #rest = "\n";
  #path: string | undefined;

  constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout?.setEncoding("utf8").on("data", (text: string) => this.#receive(text));
    this.#ended = untilGone(child).then(() => this.#end());
  }

  of(path: string): boolean | Promise<boolean> {
    const matches = this.#matches.get(path);
    if (matches !== undefined) return !matches;
    if (this.#hasEnded) return false;
    return new Promise((resolve) => this.#waiting.set(path, resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  #receive(text: string): void {
    this.#received += text.length;
    if (this.#received > MAX_OUTPUT_CHARACTERS) {
      this.#child.kill("SIGKILL");
      return;
    }
    const pieces = `${this.#rest}${text}`.split("\0");
    this.#rest = pieces.pop() ?? "";
    for (const piece of pieces) this.#readPiece(piece);
  }

  #readPiece(piece: string): void {
    const countEnd = piece.indexOf("\n");
    this.#note(piece.slice(0, countEnd));
    this.#path = piece.slice(countEnd + "\n./".length);
  }

  #note(count: string): void {
    const path = this.#path;
    // A name that is not UTF-8 cannot be told from others like it.
    if (path === undefined || path.includes("\ufffd")) return;
    const matches = count !== "0";
    this.#matches.set(path, matches);
    this.#waiting.get(path)?.(!matches);
    this.#waiting.delete(path);
  }

  #end(): void {
    if (this.#rest === "0\n") this.#note("0");
    this.#hasEnded = true;
    for (const resolve of this.#waiting.values()) resolve(false);
    this.#waiting.clear();
  }
}
