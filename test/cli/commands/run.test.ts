import { EventEmitter } from "node:events";
import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../../../src/errors/configuration-error.ts";
import { LandingConflictError } from "../../../src/errors/landing-conflict-error.ts";
import { SandboxUnavailableError } from "../../../src/errors/sandbox-unavailable-error.ts";
import { askReviewer, change, failure, runTestProgram, success } from "../test-context.ts";
import type { FakeEngine } from "../test-context.ts";

const CHANGES = [change("added", "notes/todo.txt"), change("deleted", "old.txt")];
const DIFF =
  "diff --git a/old.txt b/old.txt\ndeleted file mode 100644\n--- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n";
const LANDING = { id: "L1", landedAt: new Date(0), changes: CHANGES, heldBack: [] };
const NEXT_STEPS = `  see:       cofferdam diff --root /project
  land:      cofferdam land --root /project
  discard:   cofferdam discard --root /project
`;
const LISTED = "2 changes (1 added, 1 deleted):\n  added         notes/todo.txt\n  deleted       old.txt\n";
/** What puts a terminal back before something is shown for a decision. */
const RESET = "\u001B\\\u001B[?1047l\u001B[!p\u001B[0m\u001B[K";
const NO_COLOUR = { NO_COLOR: "1" };

/** An engine whose shell changed two files. */
const CHANGING: FakeEngine = {
  dispatch: async () => success({ changes: CHANGES }),
  changes: () => CHANGES,
  diff: () => DIFF,
  land: async () => LANDING,
  discard: () => CHANGES,
};

describe("cofferdam run", () => {
  it("dispatches one argument as the script, with the root and the sandbox that were asked for", async () => {
    const calls: unknown[] = [];
    const engine: FakeEngine = {
      dispatch: async ({ name, input }) => {
        calls.push({ name, input });
        return success();
      },
    };
    const options = [
      "--root",
      "/r",
      "--sandbox",
      "docker",
      "--image",
      "i:1",
      "--network",
      "a.example, *.b.example:8443",
    ];
    const limits = ["--timeout", "90s", "--memory", "1g", "--policy", "p.json"];
    const ran = await runTestProgram(["run", ...options, ...limits, "--", "a | b"], { engine });
    expect(calls).toEqual([{ name: "shell", input: { command: "a | b" } }]);
    expect(ran).toEqual({
      exitCode: 0,
      stdout: "",
      stderr: "",
      questions: [],
      opened: [
        {
          root: "/r",
          policy: "p.json",
          sandbox: {
            backend: "docker",
            image: "i:1",
            network: ["a.example", "*.b.example:8443"],
            timeoutMs: 90_000,
            memoryMb: 1_024,
          },
          reviewer: expect.any(Function),
        },
      ],
    });
  });

  it("quotes several arguments, so that each reaches the program as it was typed", async () => {
    const scripts: unknown[] = [];
    const engine: FakeEngine = {
      dispatch: async ({ input }) => {
        scripts.push(input);
        return success();
      },
    };
    await runTestProgram(["run", "--", "grep", "-rn", "it's $HOME", "."], { engine });
    expect(scripts).toEqual([{ command: String.raw`grep -rn 'it'\''s $HOME' .` }]);
  });

  it("streams output byte for byte as it comes and does not print it again", async () => {
    const bytes = Buffer.from([0x00, 0xff, 0x1b, 0x0a]);
    const ran = await runTestProgram(["run", "--", "x"], {
      engine: {
        dispatch: async ({ id }, { onEvent }) => {
          onEvent?.({ type: "output-received", callId: id, chunk: { stream: "stdout", bytes } });
          onEvent?.({ type: "output-received", callId: id, chunk: { stream: "stderr", bytes: Buffer.from("e\n") } });
          return success({ output: "again", metadata: { termination: "exit", exitCode: 0, stdoutBytes: 4 } });
        },
      },
    });
    expect(ran.stdout).toBe(bytes.toString());
    expect(ran.stderr).toBe("e\n");
  });

  it("says what is ours on a line of its own when the command left one open", async () => {
    const chunk = { stream: "stdout", bytes: Buffer.from("100%") } as const;
    const engine: FakeEngine = {
      ...CHANGING,
      dispatch: async ({ id }, { onEvent }) => {
        onEvent?.({ type: "output-received", callId: id, chunk });
        return success({ changes: CHANGES });
      },
    };
    const words = ["run", "--land", "never", "--", "x"];
    const onTerminal = await runTestProgram(words, { engine, terminal: true, environment: NO_COLOUR });
    const inPipe = await runTestProgram(words, { engine });
    const said = `cofferdam: ${LISTED}${NEXT_STEPS}`;
    expect([onTerminal.stderr, inPipe.stderr]).toEqual([`\n${RESET}${said}`, said]);
  });

  it("prints the result's output once when nothing was streamed", async () => {
    const metadata = { termination: "exit", exitCode: 3, stdoutBytes: 3, stderrBytes: 0 };
    const ran = await runTestProgram(["run", "--", "x"], {
      engine: {
        dispatch: async () => failure({ errorKind: "business", error: "Exit code 3", output: "out", metadata }),
      },
    });
    expect(ran).toMatchObject({ exitCode: 3, stdout: "out\n", stderr: "" });
  });

  it("says what the command made that could not be kept, and why", async () => {
    const entries = [
      { path: "pipe", reason: "it is a FIFO" },
      { path: "sub/\u001B[2J", reason: "its name is no UTF-8" },
    ];
    const result = success({ metadata: { termination: "exit", exitCode: 0, refused: entries } });
    const ran = await runTestProgram(["run", "--", "x"], { engine: { dispatch: async () => result } });
    expect(ran).toMatchObject({
      exitCode: 0,
      stdout: "",
      stderr: "cofferdam: Could not keep 2 entries:\n  pipe: it is a FIFO\n  sub/\\x1b[2J: its name is no UTF-8\n",
    });
  });

  it("shows some of very many entries that could not be kept and counts the rest", async () => {
    const refused = Array.from({ length: 43 }, (_each, index) => ({ path: `f${index}`, reason: "it is a FIFO" }));
    const result = success({ metadata: { termination: "exit", exitCode: 0, refused } });
    const { stderr } = await runTestProgram(["run", "--", "x"], { engine: { dispatch: async () => result } });
    expect(stderr).toMatch(/^cofferdam: Could not keep 43 entries:\n/);
    expect(stderr).toMatch(/ {2}f39: it is a FIFO\n {2}… 3 more; --json lists all\n$/);
  });

  it("lists what was changed and how to go on when nobody can be asked", async () => {
    const ran = await runTestProgram(["run", "--", "x"], { engine: CHANGING });
    expect(ran).toMatchObject({ exitCode: 0, stdout: "", stderr: `cofferdam: ${LISTED}${NEXT_STEPS}`, questions: [] });
  });

  it("shows diff and changes on a terminal and lands exactly them when told so", async () => {
    const landed: unknown[] = [];
    const engine: FakeEngine = {
      ...CHANGING,
      land: async (selection) => {
        landed.push(selection);
        return LANDING;
      },
    };
    const terminal = { terminal: true, environment: NO_COLOUR };
    const ran = await runTestProgram(["run", "--", "x"], { engine, ...terminal, answers: ["land"] });
    expect(landed).toEqual([{ revision: "7", paths: ["/old.txt", "/notes/todo.txt"] }]);
    expect(ran).toMatchObject({
      exitCode: 0,
      stdout: "",
      questions: ["What should become of these changes?"],
      stderr: `${RESET}${DIFF}${LISTED}Landed 2 changes (1 added, 1 deleted) as L1\n  take back: cofferdam undo L1 --root /project\n`,
    });
  });

  it.each([
    ["keeps them pending", ["keep"], NEXT_STEPS],
    ["keeps them pending when the prompt is left", [undefined], NEXT_STEPS],
    ["discards them when that is said twice", ["discard", "discard"], "Discarded 2 changes (1 added, 1 deleted)\n"],
    ["keeps them pending when discarding is not said again", ["discard", "keep"], NEXT_STEPS],
    ["keeps them pending when the second question is left", ["discard", undefined], NEXT_STEPS],
  ])("%s", async (_what, answers, said) => {
    const terminal = { terminal: true, environment: NO_COLOUR };
    const ran = await runTestProgram(["run", "--", "x"], { engine: CHANGING, ...terminal, answers });
    expect(ran).toMatchObject({ exitCode: 0, stderr: `${RESET}${DIFF}${LISTED}${said}` });
  });

  it("asks again when the changes moved while the person looked", async () => {
    const diffs = [DIFF, "diff --git a/new b/new\n", "diff --git a/new b/new\n"];
    const engine: FakeEngine = { ...CHANGING, diff: () => diffs.shift() ?? "" };
    const ran = await runTestProgram(["run", "--", "x"], {
      engine,
      terminal: true,
      environment: NO_COLOUR,
      answers: ["land", "keep"],
    });
    expect(ran.questions).toHaveLength(2);
    const moved = "cofferdam: The changes moved while you were looking; this is how they are now\n";
    expect(ran.stderr).toBe(`${RESET}${DIFF}${LISTED}${moved}diff --git a/new b/new\n${LISTED}${NEXT_STEPS}`);
  });

  it("lands without asking with --land auto when the command succeeded", async () => {
    const ran = await runTestProgram(["run", "--land", "auto", "--", "x"], { engine: CHANGING });
    const landed = "Landed 2 changes (1 added, 1 deleted) as L1\n  take back: cofferdam undo L1 --root /project\n";
    expect(ran).toMatchObject({ exitCode: 0, stderr: `cofferdam: ${LISTED}${landed}` });
  });

  it.each([[[]], [["--json"]]])("keeps the command's exit code when all is held back (%j)", async (more) => {
    const problem = new ConfigurationError("Cannot land .git: it is never landed");
    const engine: FakeEngine = { ...CHANGING, land: async () => await Promise.reject(problem) };
    const ran = await runTestProgram(["run", "--land", "auto", ...more, "--", "x"], { engine });
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toMatch(
      /cofferdam: Held back 2 changes \(1 added, 1 deleted\): Cannot land \.git: it is never landed\n$/,
    );
  });

  it.each([
    [[], ""],
    [["--json"], '"metadata":{"termination":"exit","exitCode":0,'],
  ])("exits with 125 when landing fails, with the result printed (%j)", async (more, printed) => {
    const problem = new LandingConflictError("Cannot land changes: the root moved", { conflicts: [] });
    const engine: FakeEngine = { ...CHANGING, land: async () => await Promise.reject(problem) };
    const ran = await runTestProgram(["run", "--land", "auto", ...more, "--", "x"], { engine });
    expect(ran.exitCode).toBe(125);
    expect(ran.stderr).toMatch(/cofferdam: Cannot land changes: the root moved\n$/);
    expect(ran.stdout).toContain(printed);
  });

  it("does not land with --land auto when the command failed", async () => {
    const metadata = { termination: "exit", exitCode: 1 };
    const dispatch = async () => failure({ errorKind: "business", metadata, changes: CHANGES });
    const ran = await runTestProgram(["run", "--land", "auto", "--", "x"], {
      engine: { dispatch, changes: () => CHANGES },
    });
    expect(ran).toMatchObject({ exitCode: 1, stderr: `cofferdam: ${LISTED}${NEXT_STEPS}` });
  });

  it("prints one JSON object and nothing else with --json, control characters as escapes", async () => {
    const result = success({
      output: "a\u009Bb\u202E\n",
      changes: [change("added", "x", { pathBytes: Buffer.from("x") })],
    });
    const ran = await runTestProgram(["run", "--json", "--", "x"], { engine: { dispatch: async () => result } });
    expect(ran.stderr).toBe("");
    expect(ran.stdout).toContain(String.raw`"output":"a\u009bb\u202e\n"`);
    expect(JSON.parse(ran.stdout)).toEqual({
      ...result,
      changes: [{ kind: "added", path: "x", type: "file", callId: "call", pathBytes: "eA==" }],
    });
  });

  it("adds the landing to the JSON object with --land auto", async () => {
    const ran = await runTestProgram(["run", "--json", "--land", "auto", "--", "x"], { engine: CHANGING });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      success: true,
      landing: { id: "L1", landedAt: "1970-01-01T00:00:00.000Z", heldBack: [] },
    });
  });

  it.each([
    ["timeout", { termination: "timeout", timeoutMs: 2_000 }, { exitCode: 124, why: "it timed out after 2 s" }],
    [
      "business",
      { termination: "out-of-memory" },
      { exitCode: 137, why: 'it reached its memory limit (--memory, "sandbox.memoryMb")' },
    ],
    ["business", { termination: "output-limit" }, { exitCode: 137, why: "it printed too much" }],
    ["business", { termination: "signal", signal: "SIGSEGV" }, { exitCode: 139, why: "it got SIGSEGV" }],
  ] as const)("says why a command was stopped (%s, %j)", async (errorKind, metadata, { exitCode, why }) => {
    const dispatch = async () => failure({ errorKind, metadata });
    const ran = await runTestProgram(["run", "--", "x"], { engine: { dispatch } });
    const stderr = `cofferdam: The command was stopped: ${why}; what it changed has been dropped\n`;
    expect(ran).toMatchObject({ exitCode, stdout: "", stderr });
  });

  it("says why a command was denied, with what it quotes escaped, and exits with 126", async () => {
    const result = failure({ errorKind: "denied", error: 'Permission denied for "shell": \u001B[2J' });
    const ran = await runTestProgram(["run", "--", "x"], { engine: { dispatch: async () => result } });
    expect(ran).toMatchObject({ exitCode: 126, stderr: `cofferdam: Permission denied for "shell": \\x1b[2J\n` });
  });

  it.each(["isolate", "foo"])("refuses --sandbox %s with the names that run shell commands", async (name) => {
    const ran = await runTestProgram(["run", "--sandbox", name, "--", "x"]);
    expect(ran).toMatchObject({
      exitCode: 2,
      stderr: `cofferdam: Cannot use --sandbox "${name}": it is none of the choices; choose auto, docker, bubblewrap, virtual\n`,
      opened: [],
    });
    const { stdout } = await runTestProgram(["run", "--help"]);
    expect(stdout).toContain("where commands run: auto, docker, bubblewrap or virtual");
  });

  it("says that stdin is not passed on when something is piped into it", async () => {
    const engine: FakeEngine = { dispatch: async () => success() };
    const ran = await runTestProgram(["run", "--", "cat"], { engine, hasPipedInput: true });
    expect(ran).toMatchObject({
      exitCode: 0,
      stdout: "",
      stderr:
        "cofferdam: The command reads nothing from stdin: it is empty in a sandbox; give input in a file of the root\n",
    });
    const { stdout } = await runTestProgram(["run", "--help"]);
    expect(stdout).toContain("Its stdin is empty: what is piped into cofferdam is not passed on");
  });

  it("approves the one call that was typed and no other", async () => {
    const decisions: unknown[] = [];
    const engine: FakeEngine = {
      dispatch: async (call, _options, opened) => {
        decisions.push(await askReviewer(opened, call), await askReviewer(opened, { ...call, id: "other" }));
        return success();
      },
    };
    await runTestProgram(["run", "--", "x"], { engine });
    expect(decisions).toEqual([
      { decision: "approve" },
      { decision: "deny", reason: "only the call that was typed is approved" },
    ]);
  });

  it("says what a policy file asked for and did not get", async () => {
    const engine: FakeEngine = { dispatch: async () => success(), notices: ["it may only tighten"] };
    const ran = await runTestProgram(["run", "--", "x"], { engine });
    expect(ran.stderr).toBe("cofferdam: it may only tighten\n");
  });

  it("aborts the dispatch on the first signal, waits for it, and exits with 128 + n", async () => {
    const signals = new FakeProcess();
    const dispatch: FakeEngine["dispatch"] = async (_call, { signal }) => {
      signals.emit("SIGTERM", "SIGTERM");
      expect(signal?.aborted).toBe(true);
      return failure({ errorKind: "cancelled", error: '"shell" was cancelled before it started' });
    };
    const ran = await runTestProgram(["run", "--", "x"], { engine: { dispatch }, signals });
    expect(ran).toMatchObject({
      exitCode: 143,
      stderr:
        'cofferdam: Stopping on SIGTERM; a second one leaves at once\ncofferdam: "shell" was cancelled before it started\n',
    });
    expect(signals.exits).toEqual([]);
    expect(signals.eventNames()).toEqual([]);
  });

  it.each([
    ["SIGINT", "SIGINT", 130],
    ["SIGTERM", "SIGTERM", 143],
    ["SIGHUP", "SIGTERM", 143],
    ["SIGTERM", "SIGHUP", 129],
  ])("leaves at once when %s is followed by %s", async (first, second, code) => {
    const signals = new FakeProcess();
    const dispatch: FakeEngine["dispatch"] = async () => {
      signals.emit(first, first);
      expect(signals.exits).toEqual([]);
      signals.emit(second, second);
      return failure({ errorKind: "cancelled" });
    };
    await runTestProgram(["run", "--", "x"], { engine: { dispatch }, signals });
    expect(signals.exits).toEqual([code]);
  });

  it("aborts the dispatch when nobody reads its output any more", async () => {
    const broken = new Writable({ write: (_chunk, _encoding, done) => done(new Error("EPIPE")) });
    const engine: FakeEngine = {
      dispatch: async ({ id }, { onEvent, signal }) => {
        const aborted = new Promise((resolve) => {
          signal?.addEventListener("abort", resolve);
        });
        onEvent?.({ type: "output-received", callId: id, chunk: { stream: "stdout", bytes: Buffer.from("y\n") } });
        await aborted;
        return failure({ errorKind: "cancelled", metadata: { termination: "cancelled" } });
      },
    };
    const ran = await runTestProgram(["run", "--", "yes"], { engine, out: broken });
    expect(ran).toMatchObject({ exitCode: 141, stderr: "" });
  });

  it("exits with 125 when the engine fails, and shows the stack only when asked to", async () => {
    const error = new SandboxUnavailableError("Cannot reach Docker");
    const openEngine = async () => await Promise.reject(error);
    const ran = await runTestProgram(["run", "--", "x"], { openEngine });
    expect(ran).toMatchObject({ exitCode: 125, stdout: "", stderr: "cofferdam: Cannot reach Docker\n" });
    const debugged = await runTestProgram(["run", "--", "x"], { openEngine, environment: { COFFERDAM_DEBUG: "1" } });
    expect(debugged.stderr).toMatch(
      /^cofferdam: Cannot reach Docker\nSandboxUnavailableError: Cannot reach Docker\n {4}at /,
    );
  });
});

class FakeProcess extends EventEmitter {
  readonly exits: number[] = [];

  exit(code: number): void {
    this.exits.push(code);
  }
}
