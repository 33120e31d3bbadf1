/**
 * The tool `grep` over 10,000 files, with ripgrep and without it, against ripgrep alone with the same words.
 */

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Bench } from "tinybench";
import type { Engine } from "../src/contract/engine.ts";
import { createEngine } from "../src/engine.ts";
import { printRatios } from "./print-ratios.ts";

const run = promisify(execFile);
const directory = await mkdtemp(join(tmpdir(), "cofferdam-bench-"));
const root = join(directory, "root");
await makeTree();

const searchPath = process.env["PATH"];
const withRipgrep = await openEngine("with");
await search(withRipgrep);
process.env["PATH"] = "";
const without = await openEngine("without");
await search(without);
process.env["PATH"] = searchPath;

const bench = new Bench({ iterations: 12, time: 0, warmupIterations: 2, warmupTime: 0 });
bench
  .add("grep with ripgrep", () => search(withRipgrep))
  .add("grep without ripgrep", () => search(without))
  .add("rg", async () => {
    const { stdout } = await run("rg", ["--line-number", "needle = \\d", "./"], { cwd: root });
    checkLines(stdout.trim());
  });
await bench.run();
printRatios(bench);

await withRipgrep[Symbol.asyncDispose]();
await without[Symbol.asyncDispose]();
await rm(directory, { recursive: true });

/** 500 directories of 20 files, of which one in 500 has a line that matches. */
async function makeTree(): Promise<void> {
  const text = Array.from({ length: 60 }, (_, line) => `export const value${line} = compute(${line}); // nothing\n`);
  for (let index = 0; index < 500; index += 1) {
    const place = join(root, `package-${index % 20}`, `part-${index}`);
    await mkdir(place, { recursive: true });
    const files = Array.from({ length: 20 }, (_, file) => ({ path: join(place, `file-${file}.ts`), file }));
    const last = index % 25 === 0 ? "needle = 1\n" : "";
    await Promise.all(files.map(({ path, file }) => writeFile(path, `${text.join("")}${file === 7 ? last : ""}`)));
  }
}

async function openEngine(name: string): Promise<Engine> {
  return await createEngine({ root, stateHome: join(directory, name), maxRepeats: 1_000 });
}

async function search(engine: Engine): Promise<void> {
  const result = await engine.dispatch({ id: "1", name: "grep", input: { pattern: "needle = \\d" } });
  checkLines(result.output);
}

function checkLines(output: string): void {
  if (output.split("\n").length !== 20) throw new Error(output);
}
