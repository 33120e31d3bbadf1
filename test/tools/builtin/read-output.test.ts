import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openOutputStore } from "../../../src/state/output-store.ts";
import { createReadOutputTool } from "../../../src/tools/builtin/read-output.ts";
import { createToolScratch } from "../tool-scratch.ts";

async function outputOf(text: string, { maxCharacters = 30_000 } = {}) {
  const directory = await mkdtemp(join(tmpdir(), "cofferdam-outputs-"));
  const scratch = await createToolScratch();
  const store = await openOutputStore({ directory });
  const id = await store.keep(text);
  const tool = createReadOutputTool({ outputs: Promise.resolve(store), maxCharacters });
  return {
    id,
    read: async (input: Readonly<Record<string, unknown>>, options: { readonly signal?: AbortSignal } = {}) =>
      await scratch.run(tool, { id, ...input }, options),
    [Symbol.asyncDispose]: async () => {
      await scratch[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}

it("read_output gives the part that was asked for, and says how to read on", async () => {
  await using output = await outputOf("0123456789".repeat(1_000));
  expect(await output.read({ offset: 9_990 })).toEqual({
    success: true,
    output: "0123456789\n(offset 9990 to 10000 of 10,000 characters; this is its end)",
  });
  expect(await output.read({ offset: 15, limit: 10 })).toEqual({
    success: true,
    output: "5678901234\n(offset 15 to 25 of 10,000 characters; read on with offset 25)",
  });
  expect((await output.read({})).output).toHaveLength(
    4_000 + "\n(offset 0 to 4000 of 10,000 characters; read on with offset 4000)".length,
  );
});

it("read_output never cuts a character in two, and always comes forward", async () => {
  await using output = await outputOf("😀😀a");
  expect(await output.read({ offset: 1, limit: 2 })).toMatchObject({
    output: "😀\n(offset 0 to 2 of 5 characters; read on with offset 2)",
  });
  const pieces: string[] = [];
  for (let offset = 0; offset < 5;) {
    const [piece = "", frame = ""] = ((await output.read({ offset, limit: 1 })).output ?? "").split("\n");
    pieces.push(piece);
    const next = Number(/ to (?<end>\d+) /.exec(frame)?.groups?.["end"]);
    expect(next).toBeGreaterThan(offset);
    offset = next;
  }
  expect(pieces.join("")).toContain("a");
});

it("read_output finds a pattern with the text around it, and where each match is", async () => {
  const text = `${"a".repeat(200)}NEEDLE 1${"b".repeat(70_000)}\nNEEDLE 2\n${"c".repeat(200)}`;
  await using output = await outputOf(text);
  expect(await output.read({ pattern: "NEEDLE \\d" })).toEqual({
    success: true,
    output: [
      `offset 200: ${"a".repeat(120)}NEEDLE 1${"b".repeat(120)}`,
      `offset 70209: ${"b".repeat(119)}\nNEEDLE 2\n${"c".repeat(119)}`,
    ].join("\n--\n"),
  });
  expect(await output.read({ pattern: "^NEEDLE" })).toMatchObject({ output: expect.stringMatching(/^offset 70209: /) });
  expect(await output.read({ pattern: "^NEEDLE 1" })).toEqual({ success: true, output: "(no match)" });
  expect(await output.read({ pattern: "NEEDLE", offset: 201 })).toMatchObject({
    output: expect.stringMatching(/^offset 70209: /),
  });
});

it("read_output finds a match that crosses the border of two windows, once", async () => {
  const text = `${"x".repeat(65_530)}BEGIN--END${"y".repeat(1_000)}`;
  await using output = await outputOf(text);
  const { output: found = "" } = await output.read({ pattern: "BEGIN.*?END" });
  expect(found.match(/offset \d+/g)).toEqual(["offset 65530"]);
});

it("read_output stops after fifty matches and says where to search on", async () => {
  await using output = await outputOf(`hit${" ".repeat(300)}`.repeat(60), { maxCharacters: 30_000 });
  const { output: first = "" } = await output.read({ pattern: "hit" });
  expect(first.match(/^offset/gm)).toHaveLength(50);
  expect(first.split("\n--\n").at(-1)).toBe(`(there may be more; search on with offset ${50 * 303})`);
  const { output: second = "" } = await output.read({ pattern: "hit", offset: 50 * 303 });
  expect(second.match(/^offset \d+/gm)).toHaveLength(10);
});

it("read_output stays within the budget that its own results have", async () => {
  await using output = await outputOf("match ".repeat(20_000), { maxCharacters: 2_000 });
  for (const input of [{ pattern: "(match )+" }, { pattern: "m" }, { limit: 1_500 }])
    expect(((await output.read(input)).output ?? "").length).toBeLessThanOrEqual(2_000);
  expect(await output.read({ limit: 1_501 })).toMatchObject({ success: false, errorKind: "validation" });
});

it("read_output comes to an end when the pattern matches nothing at all, everywhere", async () => {
  await using output = await outputOf("ab".repeat(200));
  expect(await output.read({ pattern: "z*" })).toMatchObject({ success: true });
});

it("read_output answers what cannot be read", async () => {
  await using output = await outputOf("short");
  const other = "f".repeat(32);
  expect(await output.read({ id: other })).toEqual({
    success: false,
    error: `Cannot read the output "${other}": it is not there, or no longer; run the tool that gave it again`,
    errorKind: "not-found",
  });
  for (const input of [{ offset: 5 }, { offset: 5, pattern: "s" }])
    expect(await output.read(input)).toEqual({
      success: false,
      error: `Cannot read the output "${output.id}": offset 5 is beyond its end; it has 5 characters, so use an offset below 5`,
      errorKind: "business",
    });
  expect(await output.read({ pattern: "(" })).toMatchObject({ success: false });
  for (const id of ["../../state.sqlite", "", `${other}/`])
    expect(await output.read({ id })).toMatchObject({ success: false, errorKind: "validation" });
});

it("read_output stops searching when its call is aborted", async () => {
  await using output = await outputOf("x".repeat(200_000));
  const signal = AbortSignal.abort(new Error("Enough"));
  await expect(output.read({ pattern: "y" }, { signal })).rejects.toThrow("Enough");
});
