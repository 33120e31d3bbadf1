import type { OutputStream } from "./output-stream.ts";

/**
 * Writes one JSON document and a line break. Characters that could drive a terminal or hide in it are written as `\u`
 * escapes, which every JSON parser reads back as the same text; bytes are written in base64.
 */
export function writeJson(stream: OutputStream, value: unknown): void {
  write(stream, value, stream.isTerminal ? 2 : undefined);
}

/** The same in one line, on a terminal too: for one of several documents. */
export function writeJsonLine(stream: OutputStream, value: unknown): void {
  write(stream, value, undefined);
}

function write(stream: OutputStream, value: unknown, indent: number | undefined): void {
  const json = JSON.stringify(value, toPlain, indent);
  stream.write(`${json.replace(INVISIBLE, escapeUnits)}\n`);
}

/** Everything unsafe that `JSON.stringify` leaves as it is; the line breaks are its own. */
const INVISIBLE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

function escapeUnits(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    const unit = character.charCodeAt(index).toString(16);
    return `\\u${unit.padStart(4, "0")}`;
  }).join("");
}

/** A `Buffer` has turned itself into an object by the time it comes as `value`; its holder still has the bytes. */
function toPlain(this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
  const original = this[key];
  return original instanceof Uint8Array ? Buffer.from(original).toString("base64") : value;
}
