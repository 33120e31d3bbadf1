import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Engine } from "../../src/contract/engine.ts";
import { scriptedReviewer } from "../../src/testing/reviewers.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";

const look = defineTool({ name: "look", description: "Looks", risk: "read", execute: () => "seen" });

describe("a policy file that changes while the engine is open", () => {
  it("holds for the next decision, and denies everything while it cannot be used", async () => {
    await using temporary = await temporaryEngine({ tools: [look], maxRepeats: 100 });
    const { engine, root } = temporary;
    const answers = [await answer(engine)];
    for (const text of ['{ "deny": ["look"] }', "{ broken", "{}"]) {
      await writeFile(join(root, "cofferdam.json"), text);
      await nextLook();
      answers.push(await answer(engine));
    }
    expect(answers).toEqual([
      "seen",
      'denied: Permission denied for "look": the rule "deny look" of cofferdam.json in the root says so',
      'denied: Permission denied for "look": the policy has changed and cannot be used; the person who runs this has to correct it',
      "seen",
    ]);
  });

  it("stops calls that were permitted and have not begun", async () => {
    let root = "";
    const act = defineTool({
      name: "act",
      description: "Acts",
      risk: "write",
      execute: async () => {
        await writeFile(join(root, "cofferdam.json"), JSON.stringify({ deny: ["act"] }));
        await nextLook();
        return "acted";
      },
    });
    await using temporary = await temporaryEngine({ tools: [act] });
    ({ root } = temporary);
    const results = await temporary.engine.dispatchAll(["1", "2"].map((id) => ({ id, name: "act", input: {} })));
    expect(results.map((result) => (result.success ? result.output : [result.errorKind, result.error]))).toEqual([
      "acted",
      [
        "denied",
        'Permission denied for "act": the policy has changed since it was permitted: the rule "deny act" of cofferdam.json in the root says so',
      ],
    ]);
  });

  it("lets run what a reviewer approved, when the policy that changed would still ask", async () => {
    let root = "";
    const act = defineTool({
      name: "act",
      description: "Acts",
      risk: "exec",
      contained: false,
      execute: async () => {
        await writeFile(join(root, "cofferdam.json"), JSON.stringify({ ask: ["look"] }));
        await nextLook();
        return "acted";
      },
    });
    const reviewer = scriptedReviewer([{ decision: "approve" }, { decision: "approve" }]);
    await using temporary = await temporaryEngine({ tools: [act, look], reviewer });
    ({ root } = temporary);
    const calls = ["act", "act", "look"].map((name, index) => ({ id: String(index), name, input: {} }));
    const results = await temporary.engine.dispatchAll(calls);
    expect(results.map((result) => (result.success ? result.output : result.error))).toEqual([
      "acted",
      "acted",
      'Permission denied for "look": the policy has changed since it was permitted: the rule "ask look" of cofferdam.json in the root says so',
    ]);
  });
});

describe("engine.policy", () => {
  it("lets the file in the root loosen the policy once its content is trusted, until it changes", async () => {
    const act = defineTool({
      name: "act",
      description: "Acts",
      risk: "exec",
      contained: false,
      execute: () => "acted",
    });
    await using temporary = await temporaryEngine({ tools: [act], maxRepeats: 100 });
    const { engine, root } = temporary;
    const file = join(root, "cofferdam.json");
    const run = async () => {
      await nextLook();
      return (await engine.dispatch({ id: "1", name: "act", input: {} })).success;
    };
    await writeFile(file, '{ "allow": ["act"] }');
    const untrusted = await engine.policy.rootPolicy();
    expect([untrusted?.isTrusted, await run()]).toEqual([false, false]);
    expect(engine.notices).toHaveLength(1);
    await engine.policy.trust(untrusted?.digest ?? "");
    expect([(await engine.policy.rootPolicy())?.isTrusted, await run(), engine.notices]).toEqual([true, true, []]);
    await writeFile(file, '{ "allow": ["act" ] }');
    expect([(await engine.policy.rootPolicy())?.isTrusted, await run()]).toEqual([false, false]);
    await expect(engine.policy.trust(untrusted?.digest ?? "")).rejects.toThrow(
      "Cannot trust the policy in the root: it is not what was shown any more; look at it again",
    );
    await writeFile(file, '{ "allow": ["act"] }');
    expect(await run()).toBe(true);
    await engine.policy.distrust();
    expect(await run()).toBe(false);
  });
});

async function answer(engine: Engine): Promise<string> {
  const result = await engine.dispatch({ id: "1", name: "look", input: {} });
  return result.success ? result.output : `${result.errorKind}: ${result.error}`;
}

/** Files are looked at ten times a second at most. */
async function nextLook(): Promise<void> {
  await delay(110);
}
