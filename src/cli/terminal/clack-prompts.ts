import { setTimeout as delay } from "node:timers/promises";
import type { ReadStream } from "node:tty";
import type { Writable } from "node:stream";
import type { Prompts } from "./prompts.ts";

/*
 * What a sandboxed command prints reaches the terminal, and a terminal answers some control sequences by typing: a command
 * could have its own approval typed. So before each question everything that waits in the terminal's input is thrown
 * away, keys that were pressed ahead included; and Enter alone always means the answer that changes nothing. A person can
 * type past a question, too: a word typed at it moves nothing, so that the Enter behind it still changes nothing.
 */

/** Prompts on a real terminal. The library behind them is loaded at the first question. */
export function createClackPrompts(input: ReadStream, output: Writable): Prompts {
  return {
    async choose({ message, choices, initial, signal }) {
      const { select, isCancel } = await loadClack();
      await discardTypeAhead(input);
      const answer = await select<string>({
        message,
        input,
        output,
        initialValue: initial,
        showInstructions: false,
        options: [...choices],
        ...(signal === undefined ? {} : { signal }),
      });
      return isCancel(answer) ? undefined : choices.find(({ value }) => value === answer)?.value;
    },
    async askText({ message, initial, validate, signal }) {
      const { text, isCancel } = await loadClack();
      await discardTypeAhead(input);
      const answer = await text({
        message,
        input,
        output,
        ...(initial === undefined ? {} : { initialValue: initial }),
        ...(validate === undefined ? {} : { validate: (value) => validate(value ?? "") }),
        ...(signal === undefined ? {} : { signal }),
      });
      return isCancel(answer) ? undefined : answer;
    },
  };
}

/** The library moves the choice by letters, as vi does; only the arrow keys may. It has no other way to take aliases away. */
async function loadClack() {
  const clack = await import("@clack/prompts");
  for (const key of [...clack.settings.aliases.keys()].filter((alias) => PRINTABLE.test(alias))) {
    clack.settings.aliases.delete(key);
  }
  return clack;
}

/** One character that a word can hold; what is longer is the name of a key. */
const PRINTABLE = /^[\x20-\x7e]$/;

/** Long enough for a terminal to answer what was sent to it before. */
const TYPE_AHEAD_MS = 100;

async function discardTypeAhead(input: ReadStream): Promise<void> {
  input.setRawMode(true);
  // A stream that flows without a listener throws away what it reads.
  input.resume();
  await delay(TYPE_AHEAD_MS);
  input.pause();
  input.setRawMode(false);
}
