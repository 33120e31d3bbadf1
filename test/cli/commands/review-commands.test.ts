import { describe, expect, it } from "vitest";
import { LandingConflictError } from "../../../src/errors/landing-conflict-error.ts";
import { ConfigurationError } from "../../../src/errors/configuration-error.ts";
import { change, runTestProgram } from "../test-context.ts";
import type { FakeEngine } from "../test-context.ts";

const CHANGES = [change("modified", "a.txt")];
const DIFF = "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+\u001B[2Jb\n";
const SAFE_DIFF = DIFF.replace("\u001B", String.raw`\x1b`);
const LANDING = { id: "L1", landedAt: new Date(0), changes: CHANGES, heldBack: [] };
const LANDED = "Landed 1 change (1 modified) as L1\n  take back: cofferdam undo L1 --root /project\n";
const LISTED = "1 change (1 modified):\n  modified      a.txt\n";
const TERMINAL = { terminal: true, environment: { NO_COLOR: "1" } };
const ENGINE: FakeEngine = {
  changes: () => CHANGES,
  diff: () => DIFF,
  land: async () => LANDING,
  discard: () => CHANGES,
};

describe("cofferdam diff", () => {
  it("prints the diff as it is into a pipe, for the paths that were named", async () => {
    const selections: unknown[] = [];
    const engine: FakeEngine = {
      diff: (selection) => {
        selections.push(selection);
        return DIFF;
      },
    };
    const ran = await runTestProgram(["diff", "a.txt", "src/**"], { engine });
    expect(ran).toMatchObject({ exitCode: 0, stdout: DIFF, stderr: "" });
    expect(selections).toEqual([{ paths: ["a.txt", "src/**"] }]);
  });

  it("escapes control characters on a terminal, and wherever colour is forced", async () => {
    expect((await runTestProgram(["diff"], { engine: ENGINE, ...TERMINAL })).stdout).toBe(SAFE_DIFF);
    const forced = await runTestProgram(["diff"], { engine: ENGINE, environment: { FORCE_COLOR: "1" } });
    expect(forced.stdout).toContain("\u001B[32m+\u001B[7m\\x1b\u001B[27m[2Jb\u001B[39m\n");
  });

  it("prints counts with --stat and an object with --json", async () => {
    expect((await runTestProgram(["diff", "--stat"], { engine: ENGINE })).stdout).toBe(
      " a.txt | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n",
    );
    const json = (await runTestProgram(["diff", "--json"], { engine: ENGINE })).stdout;
    expect(JSON.parse(json)).toEqual({ changes: CHANGES, diff: DIFF });
  });

  it("refuses --stat beside --json", async () => {
    const ran = await runTestProgram(["diff", "--stat", "--json"], { engine: ENGINE });
    expect(ran).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr: "cofferdam: Cannot use --stat with --json: each asks for another form; leave one of them out\n",
    });
  });
});

describe("an empty path", () => {
  it.each([
    ["diff", "show changes of"],
    ["land", "land"],
    ["discard", "discard"],
  ])("is refused by %s before anything is opened", async (command, action) => {
    const words = command === "diff" ? [command, ""] : [command, "a.txt", "", "--yes"];
    const ran = await runTestProgram(words, { engine: ENGINE });
    expect(ran).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr: `cofferdam: Cannot ${action} "": a path is empty; leave it out to select everything\n`,
      opened: [],
    });
  });
});

describe("cofferdam land", () => {
  it("refuses to land unseen changes where nobody can be asked", async () => {
    const ran = await runTestProgram(["land"], { engine: ENGINE });
    expect(ran).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr:
        'cofferdam: Cannot land without asking: stdin or stderr is not a terminal; look at "cofferdam diff" and add --yes\n',
      opened: [],
    });
  });

  it("shows the diff and lands on a terminal when told so", async () => {
    const ran = await runTestProgram(["land"], { engine: ENGINE, ...TERMINAL, answers: ["land"] });
    expect(ran).toMatchObject({ exitCode: 0, stdout: LANDED, stderr: `${SAFE_DIFF}${LISTED}` });
    expect(ran.questions).toEqual(["Land these changes?"]);
  });

  it.each(["keep", undefined])("lands nothing and exits with 1 when the answer is %s", async (answer) => {
    const engine: FakeEngine = { changes: () => CHANGES, diff: () => DIFF };
    const ran = await runTestProgram(["land"], { engine, ...TERMINAL, answers: [answer] });
    expect(ran).toMatchObject({ exitCode: 1, stdout: "", stderr: `${SAFE_DIFF}${LISTED}` });
  });

  it("lands the named paths with --yes and lists what landing never applies", async () => {
    const selections: unknown[] = [];
    const engine: FakeEngine = {
      ...ENGINE,
      land: async (selection) => {
        selections.push(selection);
        return { ...LANDING, heldBack: [change("modified", ".git/config")] };
      },
    };
    const ran = await runTestProgram(["land", "--yes", "a.txt"], { engine });
    expect(selections).toEqual([{ paths: ["a.txt"], revision: "7" }]);
    const heldBack = "Held back 1 change (1 modified), which landing never applies:\n  modified      .git/config\n";
    expect(ran).toMatchObject({ exitCode: 0, stdout: `${LANDED}${heldBack}`, stderr: "" });
  });

  it("leaves it to the landing to say that nothing matches", async () => {
    const shown: unknown[] = [];
    const problem = new ConfigurationError('Cannot select "nope": no pending change matches; the nearest are "a.txt"');
    const engine: FakeEngine = {
      changes: (selection) => {
        shown.push(selection);
        return CHANGES;
      },
      land: async () => await Promise.reject(problem),
    };
    const ran = await runTestProgram(["land", "nope", "--yes"], { engine });
    expect(ran).toMatchObject({ exitCode: 2, stdout: "", stderr: `cofferdam: ${problem.message}\n` });
    expect(shown).toEqual([undefined]);
  });

  it("says so when nothing is pending", async () => {
    const ran = await runTestProgram(["land", "--yes"]);
    expect(ran).toMatchObject({ exitCode: 0, stdout: "Nothing to land\n", stderr: "" });
  });

  it("lists what stands in the way and exits with 1", async () => {
    const conflicts = ["a\n.txt", "b"].map((path) => ({
      path,
      kind: "edit/edit" as const,
      reason: "it changed since",
    }));
    const land = async () =>
      await Promise.reject(new LandingConflictError("Cannot land changes: the root moved", { conflicts }));
    const ran = await runTestProgram(["land", "--yes"], { engine: { ...ENGINE, land } });
    expect(ran).toMatchObject({
      exitCode: 1,
      stderr: "cofferdam: Cannot land changes: the root moved\n  a\\n.txt: it changed since\n  b: it changed since\n",
    });
  });
});

describe("cofferdam discard", () => {
  it("drops the changes once told so, and says which", async () => {
    const ran = await runTestProgram(["discard"], { engine: ENGINE, ...TERMINAL, answers: ["discard"] });
    const stdout = "Discarded 1 change (1 modified)\n  modified      a.txt\n";
    expect(ran).toMatchObject({ exitCode: 0, stdout, questions: ["Discard these changes?"] });
  });

  it("refuses without a terminal and without --yes", async () => {
    const ran = await runTestProgram(["discard"], { engine: ENGINE });
    expect(ran).toMatchObject({
      exitCode: 2,
      stderr:
        'cofferdam: Cannot discard without asking: stdin or stderr is not a terminal; look at "cofferdam diff" and add --yes\n',
    });
  });
});

describe("cofferdam undo", () => {
  it("takes the named landing back and says what that changed", async () => {
    const ids: unknown[] = [];
    const undo = async (id?: string) => {
      ids.push(id);
      return LANDING;
    };
    const ran = await runTestProgram(["undo", "L1"], { engine: { undo } });
    await runTestProgram(["undo"], { engine: { undo } });
    expect(ids).toEqual(["L1", undefined]);
    expect(ran).toMatchObject({
      exitCode: 0,
      stdout: "Took back L1: 1 change (1 modified)\n  modified      a.txt\n",
    });
  });

  it("exits with 2 for a landing that does not exist", async () => {
    const problem = new ConfigurationError('Cannot undo "L9": there is no such landing');
    const ran = await runTestProgram(["undo", "L9"], { engine: { undo: async () => await Promise.reject(problem) } });
    expect(ran).toMatchObject({ exitCode: 2, stderr: 'cofferdam: Cannot undo "L9": there is no such landing\n' });
  });
});
