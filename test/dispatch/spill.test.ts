import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ToolOutcome } from "../../src/contract/tool.ts";
import type { EngineOptions } from "../../src/contract/engine.ts";
import type { SandboxBackend } from "../../src/contract/sandbox.ts";
import { approveAll, fakeBackend } from "../../src/testing/index.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";

/** An engine whose one tool answers with what is given. */
async function engineSaying(outcome: () => ToolOutcome | string, options: Partial<EngineOptions> = {}) {
  const tool = defineTool({ name: "speak", description: "Speaks", risk: "read", execute: outcome });
  const temporary = await temporaryEngine({ tools: [tool], maxOutputCharacters: 2_000, ...options });
  const [rootState = ""] = await readdir(join(temporary.stateHome, "roots"));
  const outputs = join(temporary.stateHome, "roots", rootState, "outputs");
  return {
    engine: temporary.engine,
    outputs,
    speak: async () => await temporary.engine.dispatch({ id: "1", name: "speak", input: {} }),
    [Symbol.asyncDispose]: async () => await temporary[Symbol.asyncDispose](),
  };
}

const idIn = (text: string): string => /id "(?<id>[0-9a-f]{32})"/.exec(text)?.groups?.["id"] ?? "";

describe("a result over the budget", () => {
  it("keeps head and tail, says how much is left out, and can be read on with read_output", async () => {
    const whole = Array.from({ length: 1_000 }, (_, line) => `line ${line}\n`).join("");
    await using saying = await engineSaying(() => whole);
    const result = await saying.speak();
    const id = idIn(result.output);
    const half = 875;
    const leftOut = (whole.length - 2 * half).toLocaleString("en-US");
    const shortened = `${whole.slice(0, half)}\n(${leftOut} characters are left out here; "read_output" with the id "${id}" reads on from offset ${half}, or finds a pattern)\n${whole.slice(-half)}`;
    expect(result).toMatchObject({
      success: true,
      output: shortened,
      content: [{ type: "text", text: shortened }],
      metadata: { spilled: [{ id, characters: whole.length }] },
    });
    expect(shortened.length).toBeLessThanOrEqual(2_000);
    const read = await saying.engine.dispatch({ id: "2", name: "read_output", input: { id, offset: half, limit: 20 } });
    expect(read.output).toBe(
      `${whole.slice(half, half + 20)}\n(offset ${half} to ${half + 20} of 8,890 characters; read on with offset ${half + 20})`,
    );
    const found = await saying.engine.dispatch({ id: "3", name: "read_output", input: { id, pattern: "^line 500$" } });
    expect(found.output).toContain(`offset ${whole.indexOf("line 500\n")}: `);
  });

  it("cuts on the borders of characters", async () => {
    await using saying = await engineSaying(() => "😀".repeat(1_501));
    const [head = "", , tail = ""] = (await saying.speak()).output.split("\n");
    expect([head, tail]).toEqual(["😀".repeat(437), "😀".repeat(438)]);
  });

  it("is left as it is when it just fits", async () => {
    const fits = "x".repeat(2_000);
    await using saying = await engineSaying(() => fits);
    expect(await saying.speak()).toMatchObject({ output: fits, metadata: {} });
    expect(await readdir(saying.outputs)).toEqual([]);
  });

  it("counts the texts of all content blocks together, and leaves what is no text", async () => {
    const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const;
    const resource = { type: "resource", uri: "a:b", text: "r".repeat(900) } as const;
    await using saying = await engineSaying(() => ({
      success: true,
      output: "short",
      content: [{ type: "text", text: "t".repeat(1_200) }, image, resource],
    }));
    const { output, content } = await saying.speak();
    expect(output).toBe("short");
    expect(content).toEqual([
      { type: "text", text: expect.stringMatching(/^t{875}\n\(351 characters are left out here; .*\)\nr{875}$/) },
      image,
      { type: "resource", uri: "a:b" },
    ]);
  });

  it("shortens the text of an error too, even of a call that never ran", async () => {
    await using saying = await engineSaying(() => ({ success: false, error: "e".repeat(5_000) }));
    expect(await saying.speak()).toMatchObject({
      success: false,
      errorKind: "business",
      error: expect.stringMatching(/^e{875}\n\(3,250 characters are left out here; /),
    });
    const unknown = await saying.engine.dispatch({ id: "2", name: "n".repeat(50_000), input: {} });
    expect(unknown).toMatchObject({ success: false, errorKind: "not-found" });
    expect(!unknown.success && unknown.error.length).toBeLessThanOrEqual(2_000);
  });

  it("is still answered when nothing can be written", async () => {
    await using saying = await engineSaying(() => "x".repeat(5_000));
    await rm(saying.outputs, { recursive: true });
    expect(await saying.speak()).toMatchObject({
      success: true,
      output: `${"x".repeat(875)}\n(3,250 characters are left out here, and could not be kept; ask for less at a time)\n${"x".repeat(875)}`,
      metadata: { spilled: [] },
    });
  });

  it("of a command is whole in the file, beyond what the sandbox would keep by itself", async () => {
    const stdout = "y".repeat(100_000);
    const fake = fakeBackend(() => ({ stdout }));
    const backend: SandboxBackend = {
      ...fake,
      probe: async () => {
        const found = await fake.probe();
        return found.available ? { ...found, enforces: [...found.enforces, "retainedOutputBytes"] } : found;
      },
    };
    await using temporary = await temporaryEngine({ backends: [backend], reviewer: approveAll });
    const result = await temporary.engine.dispatch({ id: "1", name: "shell", input: { command: "yes" } });
    expect(result.metadata).toMatchObject({ spilled: [{ characters: 100_000 }] });
    expect(fake.commands[0]?.request.limits).toEqual({ retainedOutputBytes: 4_194_304 });
  });
});

it("createEngine() refuses a budget that is no whole number of its range", async () => {
  for (const maxOutputCharacters of [1_999, 2_000.5, Number.POSITIVE_INFINITY])
    await expect(temporaryEngine({ maxOutputCharacters })).rejects.toThrow(
      /^Cannot create the engine: .*maxOutputCharacters/,
    );
});
