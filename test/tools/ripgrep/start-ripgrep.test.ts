import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Prefilter } from "../../../src/contract/prefilter.ts";
import { startRipgrep } from "../../../src/tools/ripgrep/start-ripgrep.ts";
import { openUnionView } from "../../../src/union/union-view.ts";
import { createToolScratch } from "../tool-scratch.ts";

interface Started {
  readonly prefilter: Prefilter;
  /** The id of the process, as it has written it down. */
  readonly pid: () => Promise<number>;
}

/** Starts a shell script in place of ripgrep, in a root of its own. */
async function start(root: string, script: string, signal = new AbortController().signal): Promise<Started> {
  const program = join(root, "program");
  await writeFile(program, `#!/bin/sh\necho $$ > ${root}/pid\n${script}\n`);
  await chmod(program, 0o755);
  const view = openUnionView({ root, layers: [] });
  const request = { start: "", expression: "x", ignoreCase: false, globs: [], includeIgnored: false, signal };
  const prefilter = startRipgrep({ program, view }, request);
  if (prefilter === undefined) throw new Error("It can be asked for");
  return { prefilter, pid: async () => Number(await readFile(join(root, "pid"), "utf8")) };
}

describe("startRipgrep()", () => {
  it("believes only a count of zero, of a path that was named exactly", async () => {
    await using scratch = await createToolScratch();
    const said = String.raw`printf './none\0000\n./one\0001\n./new\nline\0000\n./\377\0000\n./many\00012\n./last\0000\n'`;
    const { prefilter } = await start(scratch.root, said);
    await using _prefilter = prefilter;
    const paths = ["none", "one", "new\nline", "\udcff", "\ufffd", "many", "last", "unnamed"];
    const answers = await Promise.all(paths.map(async (path) => await prefilter.holdsNoMatch(path)));
    expect(paths.filter((_, index) => answers[index] === true)).toEqual(["none", "new\nline", "last"]);
  });

  it("says nothing about a file whose count was cut off", async () => {
    await using scratch = await createToolScratch();
    const { prefilter } = await start(scratch.root, String.raw`printf './cut\0000'`);
    await using _prefilter = prefilter;
    expect(await prefilter.holdsNoMatch("cut")).toBe(false);
  });

  it("says nothing when the program fails or cannot be started", async () => {
    await using scratch = await createToolScratch();
    const { prefilter } = await start(scratch.root, "exit 2");
    await using _prefilter = prefilter;
    expect(await prefilter.holdsNoMatch("a")).toBe(false);
    const view = openUnionView({ root: scratch.root, layers: [] });
    const { signal } = new AbortController();
    const request = { start: "", expression: "x", ignoreCase: false, globs: [], includeIgnored: false, signal };
    await using missing = startRipgrep({ program: "/nowhere/rg", view }, request);
    expect(await missing?.holdsNoMatch("a")).toBe(false);
  });

  it.each(["the call is aborted", "nobody asks any more"])("ends the program when %s", async (why) => {
    await using scratch = await createToolScratch();
    const controller = new AbortController();
    const script = String.raw`printf './first\0000\n./second\0'; trap '' TERM; exec sleep 600`;
    const { prefilter, pid } = await start(scratch.root, script, controller.signal);
    expect(await prefilter.holdsNoMatch("first")).toBe(true);
    const waiting = prefilter.holdsNoMatch("second");
    if (why === "the call is aborted") controller.abort();
    else await prefilter[Symbol.asyncDispose]();
    expect(await waiting).toBe(false);
    await prefilter[Symbol.asyncDispose]();
    const id = await pid();
    expect(() => process.kill(id, 0)).toThrow("ESRCH");
  });

  it("gives the program an empty environment and the directory of the search", async () => {
    await using scratch = await createToolScratch();
    const script = String.raw`env > environment; pwd > directory`;
    const { prefilter } = await start(scratch.root, script);
    await prefilter.holdsNoMatch("a");
    await prefilter[Symbol.asyncDispose]();
    const environment = await readFile(join(scratch.root, "environment"), "utf8");
    expect(environment.split("\n").filter((line) => !/^(?:PWD|OLDPWD|SHLVL|_)=|^$/.test(line))).toEqual([]);
    expect(await readFile(join(scratch.root, "directory"), "utf8")).toBe(`${scratch.root}\n`);
  });
});
