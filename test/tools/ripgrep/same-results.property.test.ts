import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StartPrefilter } from "../../../src/contract/prefilter.ts";
import { grepTool } from "../../../src/tools/builtin/grep.ts";
import { compilePattern } from "../../../src/tools/compile-pattern.ts";
import { findRipgrep } from "../../../src/tools/ripgrep/find-ripgrep.ts";
import { startRipgrep } from "../../../src/tools/ripgrep/start-ripgrep.ts";
import { findMatchingLines } from "../../../src/tools/search-text.ts";
import { createToolScratch, type ToolScratch } from "../tool-scratch.ts";

const program = await findRipgrep({ searchPath: process.env["PATH"], root: "/nowhere" });

const word = fc.constantFrom("foo", "Foo", "k", "\u212a", "é", "É", "ß", "a.b", "x", "\ufffd", "_9", " ", "\t", "日本");
const lineEnd = fc.constantFrom("\n", "\r\n", "\r", "\n\n", "");
const bytes = fc.constantFrom(
  Buffer.from([0xff]),
  Buffer.from([0xe9]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from([0]),
);
const mark = fc.constantFrom(Buffer.of(), Buffer.from("\ufeff"), Buffer.from([0xff, 0xfe]));
const piece = fc.oneof(
  { weight: 6, arbitrary: word.map((text) => Buffer.from(text)) },
  { weight: 3, arbitrary: lineEnd.map((text) => Buffer.from(text)) },
  bytes,
);
const content = fc
  .tuple(mark, fc.array(piece, { maxLength: 12 }))
  .map(([start, pieces]) => Buffer.concat([start, ...pieces]));

const name = fc.constantFrom("a", "b.ts", "-e", "new\nline", "é", ".hidden", "node_modules", ".git", "dist", "x.log");
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
const ignoreLines = fc.constantFrom("dist\n", "*.log\n!x.log\n", "/a/\n", "?\n", "b.*\n");

const ATOMS = String.raw`foo k é . \d \D \w \W \s \S [a-f] [^a-z] [[:alpha:]] \bfoo oo\b ^ $ \. \/ { \x66 \pL \B [ßé] [\w.] x|k (?:o|) \u00e9 ] []k]`;
const atom = fc.constantFrom(...ATOMS.split(" "));
const quantifier = fc.constantFrom("", "", "", "", "", "*", "+", "+", "{1,2}", "+?");
const pattern = fc
  .tuple(
    fc.constantFrom("", "", "", "(?i)", "(?s)", "(?i:k)"),
    fc.array(fc.tuple(atom, quantifier), { minLength: 1, maxLength: 4 }),
  )
  .map(([flags, atoms]) => `${flags}${atoms.map(([each, times]) => `(?:${each})${times}`).join("")}`);

const input = fc.record(
  {
    pattern,
    ignore_case: fc.boolean(),
    include_ignored: fc.boolean(),
    path: fc.constantFrom(".", ".", ".", ".", "a", "dist"),
    glob: fc.constantFrom("*.ts", "a/**", "!b.ts", "dist/**", "**/x.log", "{a,b.ts}", "[", "node_modules/**"),
    context: fc.constantFrom(0, 1),
    max_results: fc.constantFrom(1, 3, 1000),
    output_mode: fc.constantFrom("content", "files", "count"),
  },
  { requiredKeys: ["pattern", "path", "max_results"] },
);

/** Files enough in front of the others for the search to start ripgrep. */
const FIRST_FILES = 100;

describe.skipIf(program === undefined)("grep with ripgrep", () => {
  it("never rules out a file that has a matching line", async () => {
    const contents = fc.sample(content, { numRuns: 400, seed: 1 });
    await using scratch = await createToolScratch(
      Object.fromEntries(contents.map((each, index) => [`${index}`, each])),
    );
    const { signal } = new AbortController();
    let ruledOut = 0;
    await fc.assert(
      fc.asyncProperty(pattern, fc.boolean(), async (expression, ignoreCase) => {
        const compiled = compilePattern(expression, { ignoreCase });
        if (!compiled.ok) throw new Error(compiled.problem);
        const request = { start: "", expression, ignoreCase, globs: [], includeIgnored: true, signal };
        await using prefilter = startRipgrep({ program: program ?? "", view: viewOf(scratch) }, request);
        for (const [index, bytes] of contents.entries()) {
          if ((await prefilter?.holdsNoMatch(`${index}`)) !== true) continue;
          ruledOut += 1;
          const text = bytes.toString("utf8").replaceAll("\r\n", "\n");
          const found = await findMatchingLines(text, { pattern: compiled, maxMatches: 1, signal });
          expect({ bytes, found }).toEqual({ bytes, found: [] });
        }
      }),
      { numRuns: 60 },
    );
    expect(ruledOut).toBeGreaterThan(0);
  }, 60_000);

  it("answers what it answers without, whatever the tree, the layers and the pattern", async () => {
    const tree = fc.record({
      files: fc.array(fc.tuple(path, content), { maxLength: 10 }),
      ignore: fc.array(fc.tuple(fc.constantFrom("", "a/", "dist/"), ignoreLines), { maxLength: 2 }),
      written: fc.array(fc.tuple(path, content), { maxLength: 3 }),
      removed: fc.array(path, { maxLength: 2 }),
      inputs: fc.array(input, { minLength: 6, maxLength: 6 }),
    });
    let started = 0;
    await fc.assert(
      fc.asyncProperty(tree, async ({ files, ignore, written, removed, inputs }) => {
        await using scratch = await createToolScratch();
        await fill(scratch, [...files, ...ignore.map(([at, text]) => [`${at}.gitignore`, Buffer.from(text)] as const)]);
        for (const [at, bytes] of written) await scratch.draft.writeFile(at, bytes).catch(() => undefined);
        for (const at of removed) await scratch.draft.remove(at, { recursive: true }).catch(() => undefined);
        const startPrefilter: StartPrefilter = async (request) => {
          const prefilter = startRipgrep({ program: program ?? "", view: viewOf(scratch) }, request);
          if (prefilter !== undefined) started += 1;
          return await Promise.resolve(prefilter);
        };
        for (const each of inputs) {
          const withRipgrep = await scratch.run(grepTool, each, { startPrefilter });
          expect(withRipgrep).toEqual(await scratch.run(grepTool, each));
        }
      }),
      { numRuns: 25 },
    );
    expect(started).toBeGreaterThan(0);
  }, 120_000);
});

/** A draft's changes count as layers: its tree is what a kept layer would add. */
function viewOf(scratch: ToolScratch): Parameters<typeof startRipgrep>[0]["view"] {
  const { view } = scratch.draft;
  return view.withLayer({ id: 1, upper: scratch.upper, entries: scratch.draft.entries() });
}

async function fill(scratch: ToolScratch, files: readonly (readonly [string, Buffer])[]): Promise<void> {
  const first = Array.from({ length: FIRST_FILES }, (_, index) => join(scratch.root, `!${index}.ts`));
  await Promise.all(first.map((file) => writeFile(file, "")));
  for (const [at, bytes] of files) {
    const parent = at.split("/").slice(0, -1).join("/");
    // Two paths of one tree may not fit together, a file under another; the first one stays.
    await mkdir(join(scratch.root, parent), { recursive: true })
      .then(() => writeFile(join(scratch.root, at), bytes))
      .catch(() => undefined);
  }
}
