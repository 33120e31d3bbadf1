import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Hooks } from "../../src/contract/hooks.ts";
import type { ToolResult } from "../../src/contract/tool-result.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";

const text = defineTool({
  name: "text",
  description: "Writes a file and says a secret",
  risk: "write",
  parameters: { type: "object", properties: { fails: { type: "boolean" }, long: { type: "boolean" } } },
  execute: async ({ fails, long }, { workspace }) => {
    await workspace.writeFile("a", "a");
    const secret = long === true ? "secret ".repeat(10_000) : "secret";
    if (fails === true) return { success: false, error: secret, output: secret };
    return { success: true, output: secret, content: [{ type: "text", text: secret }], structured: { secret } };
  },
});

const call = { id: "1", name: "text", input: {} };
const withhold: Hooks = { beforeResult: () => ({ decision: "withhold", reason: "it holds a key" }) };
const NOTE = "[the result is withheld by a hook: it holds a key]";

async function resultWith(hooks: Hooks, input: object = {}, hookTimeoutMs = 30_000): Promise<ToolResult> {
  await using temporary = await temporaryEngine({ tools: [text], hooks, hookTimeoutMs });
  return await temporary.engine.dispatch({ ...call, input });
}

describe("the hook beforeResult", () => {
  it("keeps a result by saying nothing or so", async () => {
    for (const decision of [undefined, { decision: "keep" } as const])
      expect(await resultWith({ beforeResult: () => decision })).toMatchObject({
        success: true,
        output: "secret",
        structured: { secret: "secret" },
      });
  });

  it("puts a text in the place of everything that a model reads, and leaves what the call changed", async () => {
    const result = await resultWith({
      beforeResult: (_call, { output }) => ({ decision: "replace", output: `${output.length} characters` }),
    });
    expect(result).toMatchObject({
      success: true,
      output: "6 characters",
      content: [{ type: "text", text: "6 characters" }],
      changes: [{ path: "a", kind: "added" }],
    });
    expect(JSON.stringify(result)).not.toContain("secret");
  });

  it("withholds a failure, which stays one", async () => {
    const result = await resultWith(withhold, { fails: true });
    expect(result).toMatchObject({ success: false, errorKind: "business", error: NOTE, output: "", content: [] });
  });

  it.each<[string, Hooks["beforeResult"], string]>([
    [
      "throws",
      () => {
        throw new Error("broken");
      },
      '[the result is withheld: the hook "beforeResult" failed: broken]',
    ],
    [
      "never answers",
      async () => await new Promise<never>(() => undefined),
      '[the result is withheld: the hook "beforeResult" did not answer within 0.02 s]',
    ],
    [
      "answers with no decision",
      () => ({ decision: "replace" }) as never,
      '[the result is withheld: the hook "beforeResult" failed: it did not answer with a decision]',
    ],
  ])("withholds when it %s", async (_what, beforeResult, note) => {
    const result = await resultWith(beforeResult === undefined ? {} : { beforeResult }, {}, 20);
    expect(result).toMatchObject({ success: true, output: note });
  });

  it("withholds when its answer cannot be read", async () => {
    const answer = {
      get decision(): never {
        throw new Error("Not yours");
      },
    };
    expect(await resultWith({ beforeResult: () => answer })).toMatchObject({
      output: '[the result is withheld: the hook "beforeResult" failed: Not yours]',
    });
  });

  it("may dispatch a call of its own, although the call it looks at changed something", async () => {
    await using temporary = await temporaryEngine({
      tools: [text],
      maxRepeats: 9,
      hooks: {
        beforeResult: async ({ callId }) => {
          if (callId === "own") return undefined;
          const { output } = await temporary.engine.dispatch({ ...call, id: "own" });
          return { decision: "replace", output: `${callId} after ${output}` };
        },
      },
    });
    const results = await temporary.engine.dispatchAll(["1", "2"].map((id) => ({ ...call, id })));
    expect(results.map(({ output }) => output)).toEqual(["1 after secret", "2 after secret"]);
  });

  it("comes before a long result is kept in a file, and before the same call is answered again", async () => {
    await using temporary = await temporaryEngine({ tools: [text], hooks: withhold });
    const long = { ...call, input: { long: true } };
    const results = [];
    for (const _time of [1, 2]) results.push(await temporary.engine.dispatch(long, { conversation: "one" }));
    expect(results).toMatchObject([
      { output: NOTE, attempts: 1 },
      { output: NOTE, attempts: 0 },
    ]);
    const states = await readdir(temporary.stateHome, { recursive: true });
    const outputs = states.filter((path) => path.endsWith(join("outputs")));
    expect(outputs).toHaveLength(1);
    expect(await readdir(join(temporary.stateHome, outputs[0] ?? ""))).toEqual([]);
  });

  it("is not told of a call that did not run", async () => {
    const seen: string[] = [];
    const hooks: Hooks = { beforeResult: ({ callId }) => void seen.push(callId) };
    await using temporary = await temporaryEngine({ tools: [text], hooks, policy: { deny: ["text"] } });
    await temporary.engine.dispatch(call);
    expect(seen).toEqual([]);
  });
});
