import type { OutputStream } from "./output-stream.ts";

/*
 * A command's output reaches the terminal byte for byte, as it should; so it may leave the terminal in any state: another
 * screen, invisible ink, a scroll region of one line. Before anything is shown for a decision the terminal is put back.
 */

/** Ends what a command's output may have left behind on the terminal. */
export function resetTerminal(stream: OutputStream): void {
  if (stream.isTerminal) stream.write(STRING_END + LEAVE_ALTERNATE_SCREEN + SOFT_RESET + PLAIN_INK + CLEAR_TO_LINE_END);
}

const STRING_END = "\u001B\\";
/** Not 1049, which would also move the cursor to where it was saved, alternate screen or not. */
const LEAVE_ALTERNATE_SCREEN = "\u001B[?1047l";
/** Cursor shown, scroll region and character sets back to their defaults. */
const SOFT_RESET = "\u001B[!p";
const PLAIN_INK = "\u001B[0m";
const CLEAR_TO_LINE_END = "\u001B[K";
