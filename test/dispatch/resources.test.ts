import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { ToolResources } from "../../src/contract/tool.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";

const parameters = {
  type: "object",
  properties: { table: { type: "string" }, n: { type: "integer" } },
  required: ["table", "n"],
} as const;

interface TablesOptions {
  /** @default the table */
  readonly resources?: (input: { readonly table: string; readonly n: number }) => ToolResources;
  readonly during?: (n: number) => Promise<void>;
}

/** Tools that say which table they use, and an account of what ran when. */
function tables({ resources, during = async () => await Promise.resolve() }: TablesOptions) {
  const steps: string[] = [];
  const define = (name: "look" | "change", said: (table: string) => ToolResources) =>
    defineTool({
      name,
      description: name,
      risk: name === "look" ? "read" : "write",
      parameters,
      resources: resources ?? (({ table }) => said(table)),
      execute: async ({ table, n }) => {
        steps.push(`${name} ${table} ${n} begins`);
        await during(n);
        for (let tick = 0; tick < 5; tick += 1) await setImmediate();
        steps.push(`${name} ${table} ${n} ends`);
      },
    });
  const tools = [define("look", (table) => ({ reads: [table] })), define("change", (table) => ({ writes: [table] }))];
  return { steps, tools };
}

const call = (name: string, table: string, n: number) => ({ id: String(n), name, input: { table, n } });

describe("the resources of a tool", () => {
  it("let calls on different ones run at the same time, and keep those on one in the model's order", async () => {
    const second = Promise.withResolvers<void>();
    const { steps, tools } = tables({
      during: async (n) => {
        if (n === 2) second.resolve();
        if (n === 1) await second.promise;
      },
    });
    await using temporary = await temporaryEngine({ tools });
    await temporary.engine.dispatchAll([
      call("change", "a", 1),
      call("change", "b", 2),
      call("look", "a", 3),
      call("change", "a", 4),
    ]);
    const placeOf = (step: string): number => steps.indexOf(step);
    expect(steps).toHaveLength(8);
    expect(placeOf("change b 2 begins")).toBeLessThan(placeOf("change a 1 ends"));
    expect(placeOf("change a 1 ends")).toBeLessThan(placeOf("look a 3 begins"));
    expect(placeOf("look a 3 ends")).toBeLessThan(placeOf("change a 4 begins"));
  });

  const unclear: readonly (readonly [string, unknown])[] = [
    ["throws", new Error("No")],
    ["answers nothing", undefined],
    ["answers a promise", Promise.resolve({ writes: ["a"] })],
    ["names an unknown part", { write: ["a"] }],
    ["names what is no text", { writes: [7] }],
  ];
  it.each(unclear)("let a call run alone when its tool %s", async (_how, answer) => {
    const resources = (): ToolResources => {
      if (answer instanceof Error) throw answer;
      return answer as ToolResources; // what untyped code would answer
    };
    const { steps, tools } = tables({ resources });
    await using temporary = await temporaryEngine({ tools });
    await temporary.engine.dispatchAll([call("look", "a", 1), call("look", "b", 2)]);
    expect(steps).toEqual(["look a 1 begins", "look a 1 ends", "look b 2 begins", "look b 2 ends"]);
  });
});

it("write tools that may run beside each other each have a layer, and the second to change a path is a conflict", async () => {
  const both = Promise.withResolvers<undefined>();
  let begun = 0;
  const put = defineTool({
    name: "put",
    description: "Writes a file while another one is being written",
    risk: "write",
    parallel: true,
    parameters: {
      type: "object",
      properties: { path: { type: "string" }, text: { type: "string" } },
      required: ["path", "text"],
    },
    execute: async ({ path, text }, { workspace }) => {
      begun += 1;
      if (begun === 3) both.resolve(undefined);
      await both.promise;
      await workspace.writeFile(path, text);
    },
  });
  await using temporary = await temporaryEngine({ tools: [put] });
  const results = await temporary.engine.dispatchAll(
    [
      ["1", "same", "one"],
      ["2", "same", "two"],
      ["3", "other", "three"],
    ].map(([id = "", path, text]) => ({ id, name: "put", input: { path, text } })),
  );
  const kinds = results.map((result) => (result.success ? "kept" : result.errorKind));
  expect(kinds.toSorted()).toEqual(["conflict", "kept", "kept"]);
  expect(kinds[2]).toBe("kept");
  const changes = await temporary.engine.workspace.changes();
  const winner = kinds[0] === "kept" ? "1" : "2";
  expect(changes.map(({ path, callId }) => [path, callId])).toEqual([
    ["other", "3"],
    ["same", winner],
  ]);
});

it("a hook that looks at a finished call may dispatch another one that runs alone", async () => {
  const put = defineTool({
    name: "put",
    description: "Writes a file",
    risk: "write",
    parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    execute: async ({ path }, { workspace }) => await workspace.writeFile(path, ""),
  });
  const nested: string[] = [];
  await using temporary = await temporaryEngine({
    tools: [put],
    // Longer than the test may take: a call that waited for its hook's end would be found out.
    hookTimeoutMs: 600_000,
    hooks: {
      afterCall: async ({ callId }) => {
        if (callId.startsWith("nested")) return;
        const { success } = await temporary.engine.dispatch({
          id: `nested ${callId}`,
          name: "put",
          input: { path: `${callId}.log` },
        });
        nested.push(`${callId} ${success}`);
      },
    },
  });
  await temporary.engine.dispatchAll(["1", "2"].map((id) => ({ id, name: "put", input: { path: `${id}.txt` } })));
  expect(nested).toEqual(["1 true", "2 true"]);
});
