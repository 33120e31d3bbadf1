import { escapeText } from "./escape-text.ts";
import type { OutputStream } from "./output-stream.ts";

/** Says one sentence of ours on stderr. Whatever it quotes cannot drive the terminal. */
export function notify(err: OutputStream, sentence: string): void {
  err.write(`cofferdam: ${escapeText(sentence)}\n`);
}
