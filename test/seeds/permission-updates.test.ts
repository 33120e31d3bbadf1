import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { scriptedReviewer } from "../../src/testing/reviewers.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";
import { askAll } from "./seed-engine.ts";

const tool = (name: string) =>
  defineTool({ name, description: name, risk: "exec", contained: false, execute: () => "ran" });

describe("OpenAgentSDK, updates of permissions", () => {
  it("SW-23 an answer adds a rule for the session or to the user's file, and files change rules and mode at once", async () => {
    const configHome = await mkdtemp(join(tmpdir(), "cofferdam-config-"));
    vi.stubEnv("XDG_CONFIG_HOME", configHome);
    try {
      const reviewer = scriptedReviewer([
        { decision: "approve", remember: "session" },
        { decision: "approve", remember: "always" },
      ]);
      await using temporary = await temporaryEngine({ tools: [tool("once"), tool("kept")], reviewer, maxRepeats: 100 });
      const { engine, root } = temporary;
      const run = async () => {
        // Policy files are looked at ten times a second at most.
        await delay(110);
        return (await askAll(engine, ["once"], ["kept"])).map(({ success }) => success);
      };
      expect([await run(), await run()]).toEqual([
        [true, true],
        [true, true],
      ]);
      expect(reviewer.requests).toHaveLength(2);
      const written = join(configHome, "cofferdam", "policy.json");
      expect(JSON.parse(await readFile(written, "utf8"))).toEqual({ allow: ["kept"] });
      await writeFile(written, '{ "deny": ["kept"] }');
      expect(await run()).toEqual([true, false]);
      await writeFile(join(root, "cofferdam.json"), '{ "mode": "plan" }');
      expect(await run()).toEqual([false, false]);
    } finally {
      vi.unstubAllEnvs();
      await rm(configHome, { recursive: true });
    }
  });
});
