import { describe, expect, it } from "vitest";
import type { Engine } from "../../src/contract/engine.ts";
import type { Restriction } from "../../src/contract/restriction.ts";
import type { ToolResult } from "../../src/contract/tool-result.ts";
import { ConfigurationError } from "../../src/errors/configuration-error.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";

const tools = (["read", "write", "exec"] as const).flatMap((risk) =>
  ["one", "two"].map((name) =>
    defineTool({ name: `${risk}_${name}`, description: "Says nothing", risk, execute: () => undefined }),
  ),
);

const NOTHING_BUT_OWN = ["read_output"];

function offered(engine: Engine): readonly string[] {
  return engine.offeredTools.map(({ name }) => name).filter((name) => !NOTHING_BUT_OWN.includes(name));
}

async function ask(engine: Engine, name: string): Promise<ToolResult> {
  return await engine.dispatch({ id: "1", name, input: {} });
}

describe("Engine.restrict()", () => {
  it("narrows what is offered and what may be called, until it is disposed of", async () => {
    await using temporary = await temporaryEngine({ tools });
    const { engine } = temporary;
    {
      using _narrow = engine.restrict({ tools: ["WRITE_one", "exec_one"], maxRisk: "write" });
      expect(offered(engine)).toEqual(["write_one"]);
      expect((await ask(engine, "write_one")).success).toBe(true);
      for (const name of ["write_two", "exec_one", "read_one"])
        expect(await ask(engine, name)).toMatchObject({
          errorKind: "denied",
          error: `Cannot run tool "${name}" now: it is outside of what the tools are restricted to at the moment; use another one`,
          attempts: 0,
        });
    }
    expect(offered(engine)).toHaveLength(6);
    expect((await ask(engine, "write_two")).success).toBe(true);
  });

  it("leaves what every one of them leaves, in whatever order they end", async () => {
    await using temporary = await temporaryEngine({ tools });
    const { engine } = temporary;
    const outer = engine.restrict({ tools: ["read_one", "write_one", "exec_one"] });
    const inner = engine.restrict({ maxRisk: "write" });
    const same = engine.restrict({ maxRisk: "write" });
    expect(offered(engine)).toEqual(["read_one", "write_one"]);
    inner[Symbol.dispose]();
    inner[Symbol.dispose]();
    expect(offered(engine)).toEqual(["read_one", "write_one"]);
    outer[Symbol.dispose]();
    expect(offered(engine)).toEqual(["read_one", "read_two", "write_one", "write_two"]);
    same[Symbol.dispose]();
    expect(offered(engine)).toHaveLength(6);
  });

  it("leaves the engine's own tools when it lists none", async () => {
    await using temporary = await temporaryEngine({ tools });
    using _nothing = temporary.engine.restrict({ tools: [] });
    expect(temporary.engine.offeredTools.map(({ name }) => name)).toEqual(NOTHING_BUT_OWN);
  });

  it("denies a call that waits for its turn, and lets one that runs go on", async () => {
    const running = Promise.withResolvers<undefined>();
    const goOn = Promise.withResolvers<undefined>();
    const slow = defineTool({
      name: "slow",
      description: "Waits",
      risk: "write",
      execute: async () => {
        running.resolve(undefined);
        await goOn.promise;
      },
    });
    await using temporary = await temporaryEngine({ tools: [slow] });
    const { engine } = temporary;
    const answers = engine.dispatchAll([
      { id: "1", name: "slow", input: {} },
      { id: "2", name: "slow", input: {} },
    ]);
    await running.promise;
    using _narrow = engine.restrict({ maxRisk: "read" });
    goOn.resolve(undefined);
    expect((await answers).map((result) => (result.success ? "ran" : result.errorKind))).toEqual(["ran", "denied"]);
    expect(engine.journal.recent(1)).toMatchObject([
      { callId: "2", outcome: "denied", decidedBy: "restriction", attempts: 0 },
    ]);
  });

  const mistakes: readonly [Restriction, string][] = [
    [{}, 'Cannot restrict the tools: nothing is said; give "tools", "maxRisk" or both'],
    [
      { tools: ["zzzzzzzz"] },
      'Cannot use "restrict.tools": there is no tool "zzzzzzzz"; list names of this engine\'s tools',
    ],
    [
      { risk: "read" } as Restriction,
      'Cannot restrict the tools: "risk" is no part of a restriction; give "tools", "maxRisk" or both',
    ],
    [
      { maxRisk: "all" } as unknown as Restriction,
      'Cannot restrict the tools: "maxRisk" is "all"; give "read", "write" or "exec"',
    ],
  ];
  it.each(mistakes)("refuses %j, which would restrict nothing or something else", async (restriction, message) => {
    await using temporary = await temporaryEngine({ tools });
    expect(() => temporary.engine.restrict(restriction)).toThrow(new ConfigurationError(message));
    expect(offered(temporary.engine)).toHaveLength(6);
  });
});
