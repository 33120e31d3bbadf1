import { expect, expectTypeOf, it } from "vitest";
import type { ReadContext, ToolOutcome } from "../../src/contract/tool.ts";
import { SandboxUnavailableError } from "../../src/errors/sandbox-unavailable-error.ts";
import { ToolError } from "../../src/errors/tool-error.ts";
import { WorkspacePathError } from "../../src/errors/workspace-path-error.ts";
import { BaseTool } from "../../src/tools/base-tool.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { askAll } from "../seeds/seed-engine.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";

type Handler = (error: unknown) => ToolOutcome | undefined | Promise<ToolOutcome>;

/** Result of a tool that throws `error` and handles it so; and what its handler was asked about. */
async function resultOf(error: unknown, handler: Handler, onThrow: "result" | "stop" = "result") {
  const seen: unknown[] = [];
  const tool = defineTool({
    name: "act",
    description: "Acts",
    risk: "write",
    execute: async (_input, { workspace }) => {
      await workspace.writeFile("half.txt", "half");
      throw error;
    },
    onError: async (thrown, { callId }) => {
      seen.push([callId, thrown]);
      return await handler(thrown);
    },
  });
  await using temporary = await temporaryEngine({ tools: [tool], onThrow });
  const [result] = await askAll(temporary.engine, ["act"]);
  return { result, seen };
}

const disk = new RangeError("ENOSPC");

it("onError() decides the outcome, and with its kind what happens to the layer", async () => {
  const busy: ToolOutcome = { success: false, error: "The service is busy", errorKind: "dependency" };
  expect(await resultOf(disk, () => busy, "stop")).toMatchObject({
    result: { success: false, error: "The service is busy", errorKind: "dependency", changes: [] },
    seen: [["1", disk]],
  });
  const partly: ToolOutcome = { success: false, error: "Half was written", output: "half.txt" };
  expect((await resultOf(disk, async () => partly)).result).toMatchObject({
    error: "Half was written",
    errorKind: "business",
    output: "half.txt",
    changes: [{ path: "half.txt", kind: "added" }],
  });
  const fine: ToolOutcome = { success: true, output: "Nothing to do" };
  expect((await resultOf(disk, () => fine)).result).toMatchObject({ success: true, output: "Nothing to do" });
});

it("onError() leaves a crash what it is when it answers nothing", async () => {
  expect((await resultOf(disk, () => undefined)).result).toMatchObject({
    error: '"act" failed: ENOSPC',
    errorKind: "internal",
    changes: [],
  });
  await expect(resultOf(disk, () => undefined, "stop")).rejects.toThrow('"act" failed: ENOSPC');
});

it("onError() may throw a ToolError; whatever else it throws is a crash that says both errors", async () => {
  const meant = await resultOf(disk, () => {
    throw new ToolError("Try tomorrow", { kind: "unavailable" });
  });
  expect(meant.result).toMatchObject({ error: "Try tomorrow", errorKind: "unavailable" });
  const broken = await resultOf(disk, () => {
    throw new TypeError("no such code");
  });
  expect(broken.result).toMatchObject({
    error: '"act" failed: ENOSPC (and its "onError" failed: no such code)',
    errorKind: "internal",
  });
});

it("onError() that answers what is no outcome fails the call as internal", async () => {
  // Its type does not allow it; the code that runs may be JavaScript.
  const answer = { success: false, error: "No", content: "text" } as unknown as ToolOutcome;
  expect((await resultOf(disk, () => answer)).result).toMatchObject({
    errorKind: "internal",
    error:
      'Cannot use what the tool returned: "content" is not a list of text, image and resource blocks; return a string or JSON',
  });
});

it("onError() is asked about paths of the workspace, but not about a ToolError or a failure of the engine", async () => {
  const lost: ToolOutcome = { success: false, error: "There is no such note" };
  const path = new WorkspacePathError("Cannot read", { reason: "not-found", path: "p" });
  expect((await resultOf(path, () => lost)).result).toMatchObject({ error: "There is no such note" });
  expect((await resultOf(path, () => undefined)).result).toMatchObject({ error: "Cannot read", errorKind: "business" });
  expect(await resultOf(new ToolError("Meant"), () => lost)).toMatchObject({ result: { error: "Meant" }, seen: [] });
  expect(await resultOf(new SandboxUnavailableError("No sandbox"), () => lost)).toMatchObject({
    result: { error: "No sandbox", errorKind: "unavailable" },
    seen: [],
  });
});

it("onError() is not asked once the call has timed out", async () => {
  const seen: unknown[] = [];
  const ended = Promise.withResolvers<void>();
  const tool = defineTool({
    name: "act",
    description: "Acts",
    risk: "read",
    timeoutMs: 20,
    execute: async (_input, { signal }) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      queueMicrotask(() => setImmediate(() => ended.resolve()));
      throw disk;
    },
    onError: (error) => {
      seen.push(error);
      return { success: true, output: "late" };
    },
  });
  await using temporary = await temporaryEngine({ tools: [tool] });
  const [result] = await askAll(temporary.engine, ["act"]);
  await ended.promise;
  expect(result).toMatchObject({ errorKind: "timeout" });
  expect(seen).toEqual([]);
});

it("onError() makes a failure that may be retried, of a class-form tool too", async () => {
  let runs = 0;
  class Flaky extends BaseTool<{ type: "object" }, "read"> {
    readonly name = "flaky";
    readonly description = "Works the second time";
    override readonly risk = "read";
    override readonly maxRetries = 1;
    readonly #kind = "dependency";
    execute() {
      runs += 1;
      if (runs === 1) throw disk;
      return "worked";
    }
    onError(error: unknown): ToolOutcome {
      return { success: false, error: String(error), errorKind: this.#kind };
    }
  }
  await using temporary = await temporaryEngine({ tools: [new Flaky()], retryDelayMs: 1 });
  const [result] = await askAll(temporary.engine, ["flaky"]);
  expect(result).toMatchObject({ success: true, output: "worked", attempts: 2 });
});

it("onError() has the context of the tool's risk", () => {
  defineTool({
    name: "typed",
    description: "Typed",
    risk: "read",
    execute: () => "",
    onError: (error, context) => {
      expectTypeOf(error).toEqualTypeOf<unknown>();
      expectTypeOf(context).toEqualTypeOf<ReadContext>();
      return undefined;
    },
  });
});
