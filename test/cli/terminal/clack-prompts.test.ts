import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openPseudoTerminal } from "../pseudo-terminal.ts";
import type { PseudoTerminal } from "../pseudo-terminal.ts";

const ASK = join(import.meta.dirname, "..", "fixtures", "ask.ts");
const UP = "\u001B[A";
const CTRL_C = "\u0003";

describe("createClackPrompts()", () => {
  it("answers with the choice that was moved to, and with the first one on Enter alone", async () => {
    await using terminal = openPseudoTerminal([process.execPath, ASK, "choose", "choose"]);
    await terminal.waitFor("discard");
    terminal.type(UP);
    terminal.type("\r");
    await terminal.waitFor("Question 2?");
    await terminal.waitFor("discard");
    terminal.type("\r");
    expect(await answersOf(terminal)).toEqual(["land", "keep"]);
    expect(await terminal.exitCode).toBe(0);
  });

  it.each(["make", "clear; cf land", "hjkl yes  \t"])(
    "keeps the first choice when the words %j are typed at it",
    async (words) => {
      await using terminal = openPseudoTerminal([process.execPath, ASK, "choose"]);
      await terminal.waitFor("discard");
      terminal.type(`${words}\r`);
      expect(await answersOf(terminal)).toEqual(["keep"]);
    },
  );

  it("answers with nothing when the prompt is left", async () => {
    await using terminal = openPseudoTerminal([process.execPath, ASK, "choose", "text"]);
    await terminal.waitFor("discard");
    terminal.type(CTRL_C);
    await terminal.waitFor("Question 2?");
    terminal.type(CTRL_C);
    expect(await answersOf(terminal)).toEqual([null, null]);
  });

  it("takes text, starting from the initial one, and asks again when it is not valid", async () => {
    await using terminal = openPseudoTerminal([process.execPath, ASK, "text"]);
    await terminal.waitFor("so");
    terminal.type("\u007F\u007Fbad\r");
    await terminal.waitFor("Not that");
    terminal.type("\u007F\u007F\u007Fgood\r");
    expect(await answersOf(terminal)).toEqual(["good"]);
  });

  it("throws away what was typed before the question was asked", async () => {
    await using terminal = openPseudoTerminal([process.execPath, ASK, "--wait", "choose"]);
    await terminal.waitFor("pid=");
    await terminal.waitFor("\n");
    const pid = Number(/pid=(\d+)/.exec(terminal.screen())?.[1]);
    terminal.type(`${UP}\r`);
    // The terminal echoes what is typed ahead, so it has arrived.
    await terminal.waitFor("^[[A");
    process.kill(pid, "SIGUSR2");
    await terminal.waitFor("discard");
    terminal.type("\r");
    expect(await answersOf(terminal)).toEqual(["keep"]);
  });
});

async function answersOf(terminal: PseudoTerminal): Promise<unknown> {
  await terminal.waitFor("answers=");
  await terminal.waitFor("\n");
  return JSON.parse(/answers=(.*)/.exec(terminal.screen())?.[1] ?? "");
}
