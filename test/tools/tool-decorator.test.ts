import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ts } from "ts-morph";
import { expect, it } from "vitest";

const sources = new URL("../../src/", import.meta.url);
const fixture = new URL("fixtures/decorated-notes.ts", import.meta.url);

/** What the fixture prints when it is compiled for a target that has no decorators. */
async function printed(): Promise<readonly string[]> {
  const directory = await mkdtemp(join(tmpdir(), "cofferdam-decorator-"));
  try {
    const root = join(directory, "root");
    await mkdir(root);
    const target = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
    const compiled = ts.transpile(await readFile(fixture, "utf8"), target);
    const program = join(directory, "notes.mjs");
    await writeFile(program, compiled.replaceAll("../../../src/", sources.href));
    const { stdout } = await promisify(execFile)(process.execPath, [program, root, join(directory, "state")]);
    return stdout.trimEnd().split("\n");
  } finally {
    await rm(directory, { recursive: true });
  }
}

it("tool() makes tools of methods, which share the object's state and can be overridden", async () => {
  expect(await printed()).toEqual([
    '["(done)","2: high","(input error: title is required)"]',
    '["(done)","2: HIGH!","(input error: title is required)"]',
    "true 0",
    'Cannot define tool "read": "risc" is no option; did you mean "risk"?',
    'Cannot make a tool of the method "read": it is static or private; decorate public methods of objects',
    "No error: read,count,run",
  ]);
});
