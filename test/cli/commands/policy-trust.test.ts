import { describe, expect, it } from "vitest";
import { runTestProgram } from "../test-context.ts";
import type { TestSurroundings } from "../test-context.ts";

const DIGEST = "ab".repeat(32);
const TEXT = '{\n  "allow": ["shell\u202E"]\n}\n';

describe("policy trust", () => {
  it("shows the file and trusts exactly what was shown when told so", async () => {
    const { ran, calls } = await run([], { terminal: true, answers: ["yes"] });
    expect(ran).toMatchObject({
      exitCode: 0,
      stdout: `Trusted cofferdam.json as it is now (SHA-256 ${DIGEST})\n`,
      stderr: '  | {\n  |   "allow": ["shell\\u{202e}"]\n  | }\n',
      questions: ["Trust this file, exactly as shown?"],
    });
    expect(calls).toEqual([`trust ${DIGEST}`]);
  });

  it.each(["no", undefined])("trusts nothing when the answer is %s", async (answer) => {
    const { ran, calls } = await run([], { terminal: true, answers: [answer] });
    expect(ran.stdout).toBe("Nothing is trusted\n");
    expect(calls).toEqual([]);
  });

  it("asks nobody with --yes, and refuses without it where nobody can be asked", async () => {
    expect((await run(["--yes"])).calls).toEqual([`trust ${DIGEST}`]);
    const { ran, calls } = await run([]);
    expect(ran).toMatchObject({
      exitCode: 2,
      stderr:
        "cofferdam: Cannot trust the policy without asking: stdin or stderr is not a terminal; read the file and add --yes\n",
    });
    expect(calls).toEqual([]);
  });

  it("says when there is nothing to trust, or nothing new", async () => {
    expect((await run(["--yes"], {}, undefined)).ran.stderr).toBe(
      'cofferdam: Cannot trust the policy in the root: there is no "cofferdam.json"\n',
    );
    expect((await run(["--yes"], {}, true)).ran.stdout).toBe("This content is trusted already\n");
  });

  it("trusts nothing any more with --revoke", async () => {
    const { ran, calls } = await run(["--revoke"]);
    expect(ran.stdout).toBe("No policy in the root is trusted any more\n");
    expect(calls).toEqual(["distrust"]);
  });
});

async function run(words: readonly string[], surroundings: TestSurroundings = {}, ...trusted: (boolean | undefined)[]) {
  const isTrusted = trusted.length === 0 ? false : trusted[0];
  const calls: string[] = [];
  const file =
    isTrusted === undefined ? undefined : { text: TEXT, digest: DIGEST, definition: { allow: ["shell"] }, isTrusted };
  const ran = await runTestProgram(["policy", "trust", ...words], {
    environment: { NO_COLOR: "1" },
    ...surroundings,
    engine: {
      policy: {
        rootPolicy: async () => await Promise.resolve(file),
        trust: async (digest) => void (await Promise.resolve(calls.push(`trust ${digest}`))),
        distrust: async () => void (await Promise.resolve(calls.push("distrust"))),
      },
    },
  });
  return { ran, calls };
}
