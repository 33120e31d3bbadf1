import { describe, expect, it } from "vitest";
import type { ApprovalRequest } from "../../src/contract/gate.ts";
import { renderApproval } from "../../src/cli/terminal/render-approval.ts";
import type { TestSurroundings } from "./test-context.ts";
import { askReviewer, failure, runTestProgram, success } from "./test-context.ts";

const SHOWN = `The tool "shell" (exec) asks to run
  Does:    runs a command
  Why:     the mode "default" says so for exec tools
  Runs:    in docker, for at most 120 s
  Input:
    command:
      | npm test
`;
const RESET = "\u001B\\\u001B[?1047l\u001B[!p\u001B[0m\u001B[K";

describe("run --gate", () => {
  it("asks at the terminal, showing the whole call, and approves when told so", async () => {
    const { decision, ran } = await decide(["--gate"], { terminal: true, answers: ["approve"] });
    expect(decision).toEqual({ decision: "approve" });
    expect(ran).toMatchObject({ stderr: `${RESET}${SHOWN}`, questions: ["Run it?"] });
  });

  it("denies with the reason that was typed", async () => {
    const { decision } = await decide(["--gate"], { terminal: true, answers: ["deny", "not now"] });
    expect(decision).toEqual({ decision: "deny", reason: "not now" });
  });

  it("runs the input that was edited", async () => {
    const { decision } = await decide(["--gate"], { terminal: true, answers: ["edit", '{"command":"ls"}'] });
    expect(decision).toEqual({ decision: "edit", input: { command: "ls" } });
  });

  it("cancels the call when the prompt is left", async () => {
    const { decision, ran } = await decide(["--gate"], { terminal: true, answers: [undefined] });
    expect(decision).toEqual({ decision: "deny", reason: "the prompt was left without an answer" });
    expect(ran.exitCode).toBe(130);
  });

  it("offers to remember the approval only where a rule is offered, and remembers it when told so", async () => {
    const reach = { session: "s", always: { rule: "fetch", description: "d" } };
    const { decision } = await decide(["--gate"], { terminal: true, answers: ["always"] }, { reach });
    expect(decision).toEqual({ decision: "approve", remember: "always" });
    const refused = await decide(["--gate"], { terminal: true, answers: ["always"] });
    expect(refused.decision).toEqual({ decision: "deny", reason: "the prompt was left without an answer" });
  });

  it("takes no approval of what was not shown whole", async () => {
    const { decision, ran } = await decide(
      ["--gate"],
      { terminal: true, answers: ["approve"] },
      { input: { command: "x".repeat(200_000) } },
    );
    expect(decision).toEqual({ decision: "deny", reason: "the prompt was left without an answer" });
    expect(ran.stderr).toContain("… 1 more line; what is not shown whole cannot be approved\n");
  });

  it("has no reviewer where nobody can be asked, so that the engine denies", async () => {
    const { decision } = await decide(["--gate"], {});
    expect(decision).toBeUndefined();
  });

  it("approves with --yes, without asking", async () => {
    const { decision, ran } = await decide(["--gate", "--yes"], { terminal: true });
    expect(decision).toEqual({ decision: "approve" });
    expect(ran.questions).toEqual([]);
  });
});

describe("renderApproval()", () => {
  it("shows every character of the input, line by line, with nothing invisible left", () => {
    const script = `echo ok\u202E\n    path:\n${" ".repeat(200)}\trm -rf x\u200B`;
    const request = {
      callId: "1",
      tool: "mcp__x\u0007",
      risk: "exec",
      input: { command: script, retries: [1, { "a\u001B": true }], nothing: null },
      description: "d\u009B",
      reason: "r",
      timeoutMs: 1_500,
      signal: new AbortController().signal,
    } as const;
    expect(renderApproval(request, { hasColour: false }).text).toBe(
      [
        'The tool "mcp__x\\x07" (exec) asks to run',
        "  Does:    d\\x9b",
        "  Why:     r",
        "  Runs:    for at most 1.5 s",
        "  Input:",
        "    command (3 lines):",
        "      | echo ok\\u{202e}",
        "      |     path:",
        "      | \\x20*200\\trm -rf x\\u{200b}",
        "    retries:",
        "      | [",
        "      |   1,",
        "      |   {",
        '      |     "a\\u001b": true',
        "      |   }",
        "      | ]",
        "    nothing:",
        "      | null",
        "",
      ].join("\n"),
    );
  });

  it("does not name a sandbox that has not been chosen yet", () => {
    const request = {
      callId: "1",
      tool: "shell",
      risk: "exec",
      input: {},
      description: "d",
      reason: "r",
      backend: "auto",
      timeoutMs: 120_000,
      signal: new AbortController().signal,
    } as const;
    expect(renderApproval(request, { hasColour: false }).text).toContain(
      "\n  Runs:    in the first sandbox that works here, for at most 120 s\n",
    );
  });

  it("counts spaces that would push text out of sight, and escapes what only looks like a space", () => {
    const { text } = renderApproval(asked({ command: `ls${" ".repeat(300)}; rm -rf ~  \u00A0\u2003\u2800\u3164 ` }), {
      hasColour: false,
    });
    expect(text).toContain("| ls\\x20*300; rm -rf ~  \\xa0\\u{2003}\\u{2800}\\u{3164}\\x20*1\n");
  });

  it("shows what a rule that is offered would allow", () => {
    const reach = { session: "s", always: { rule: "fetch", description: 'every call of "fetch"' } };
    expect(renderApproval({ ...asked({}), reach }, { hasColour: false }).text).toContain(
      '\n  Always:  adds the rule "allow fetch" to your policy: every call of "fetch", without asking\n',
    );
  });

  it("says what it cuts, and that it may then not be approved", () => {
    const rendered = renderApproval(asked({ content: "x\n".repeat(5_000) }), { hasColour: false });
    expect(rendered.isWhole).toBe(false);
    expect(rendered.text.split("\n").slice(-3)).toEqual([
      "      | x",
      "  … 3003 more lines; what is not shown whole cannot be approved",
      "",
    ]);
  });

  it("says when there is no input", () => {
    const request = {
      callId: "1",
      tool: "now",
      risk: "read",
      input: {},
      description: "d",
      reason: "r",
      timeoutMs: 1_000,
      signal: new AbortController().signal,
    } as const;
    expect(renderApproval(request, { hasColour: false }).text).toContain("\n  Input:   none\n");
  });
});

function asked(input: unknown) {
  return { callId: "1", tool: "t", risk: "write", input, description: "d", reason: "r", timeoutMs: 1_000 } as const;
}

async function decide(flags: readonly string[], surroundings: TestSurroundings, more: Partial<ApprovalRequest> = {}) {
  let decision: unknown;
  const ran = await runTestProgram(["run", "--land", "never", ...flags, "--", "npm test"], {
    environment: { NO_COLOR: "1" },
    ...surroundings,
    engine: {
      dispatch: async (call, { signal }, opened) => {
        decision = await askReviewer(opened, call, more);
        return signal?.aborted === true ? failure({ errorKind: "cancelled" }) : success();
      },
    },
  });
  return { decision, ran };
}
