import { describe, expect, it } from "vitest";

import { ConfigurationError } from "../src/errors/configuration-error.ts";
import { createEngine } from "../src/index.ts";

describe("createEngine()", () => {
  const root = "/nowhere";
  const mistakes: readonly [unknown, string][] = [
    [undefined, 'it takes an object with at least a "root"'],
    [null, 'it takes an object with at least a "root"'],
    [{}, "root is required"],
    [{ root, reviwer: () => undefined }, '"reviwer" is no option, did you mean "reviewer"?'],
    [{ root, quite: "other" }, '"quite" is no option'],
    [{ root, reviewer: 5 }, "reviewer must be a function"],
    [{ root, tools: () => [] }, "tools must be an array"],
    [{ root, policy: 7 }, "policy must be a policy or the path of a policy file"],
    [{ root, sandbox: { memory: 64 } }, "sandbox.memory is not a known argument"],
    [{ root, sandbox: { timeoutMs: 1e9 } }, "sandbox.timeoutMs must be at most 600000, not 1000000000"],
    [{ root, approvalTimeoutMs: -1 }, "approvalTimeoutMs must be at least 1, not -1"],
    [{ root, retryDelayMs: "x" }, "retryDelayMs must be an integer"],
    [{ root, maxRepeats: "3" }, "maxRepeats: a string was read as an integer"],
    [{ root, stateHome: 5 }, "stateHome must be a string"],
  ];
  it.each(mistakes)("refuses %j", async (options, problem) => {
    // @ts-expect-error The types refuse each of them, too; JavaScript has no types.
    const refused = await createEngine(options).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ConfigurationError);
    expect(String(refused)).toContain("ConfigurationError: Cannot create the engine: ");
    expect(String(refused)).toContain(problem);
  });

  it("names everything that is wrong at once", async () => {
    // @ts-expect-error See above.
    await expect(createEngine({ root, ask: 1, hooks: [], onThrow: "explode" })).rejects.toThrow(
      new ConfigurationError(
        'Cannot create the engine: ask must be a function; hooks must be an object; onThrow must be "result" or "stop", not "explode"',
      ),
    );
  });
});
