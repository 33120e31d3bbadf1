/**
 * Reads some lines of a file without holding the file: it is gone through in pieces, line breaks are counted, and only
 * the wanted lines are kept, each up to a bound. So a page of a file of any size, with lines of any length, takes the
 * memory of the page. After the page, the rest is counted to tell how many lines there are, up to a limit.
 */
import { isUtf8 } from "node:buffer";
import type { ReadableWorkspace } from "../contract/workspace.ts";
import { findBinaryKind } from "./binary-kind.ts";

/** How to read a page. */
export interface PageOptions extends PageBounds {
  readonly signal: AbortSignal;
  /** Sees each piece of the file, in order, up to where reading stopped. */
  readonly onPiece?: (piece: Uint8Array) => void;
}

/** Which lines, and how much of them. */
export interface PageBounds {
  /** From 1. */
  readonly firstLine: number;
  readonly maxLines: number;
  /** Bytes of text in the page; the first line always fits. */
  readonly maxBytes: number;
  /** Characters kept of one line. */
  readonly maxLineCharacters: number;
}

/** A line of a page. */
export interface PageLine {
  readonly text: string;
  /** Bytes of the whole line, when it was cut. */
  readonly cutFromBytes?: number;
}

/** Some lines of a text file, or what kind of binary file it is. */
export type Page = TextPage | { readonly kind: "binary"; readonly description: string };

/** Some lines of a text. */
export interface TextPage {
  readonly kind: "text";
  readonly lines: readonly PageLine[];
  /** `undefined` when the file goes on beyond what was counted. */
  readonly totalLines: number | undefined;
  readonly endsWithNewline: boolean;
  /** A line of the page ended in CRLF. */
  readonly hasCarriageReturns: boolean;
  /** A line of the page holds bytes that are no UTF-8. */
  readonly hasOtherBytes: boolean;
}

const PIECE_BYTES = 1_048_576;
/** How far lines are counted after the page is complete. */
const COUNTED_BYTES = 67_108_864;

/** Reads a page of a file. */
export async function readPage(workspace: ReadableWorkspace, path: string, options: PageOptions): Promise<Page> {
  const collector = new LineCollector(options);
  let countUntil = Number.POSITIVE_INFINITY;
  for (let offsetBytes = 0; ; offsetBytes += PIECE_BYTES) {
    options.signal.throwIfAborted();
    const piece = await workspace.readFile(path, { offsetBytes, lengthBytes: PIECE_BYTES });
    const binary = offsetBytes === 0 ? findBinaryKind(piece) : undefined;
    if (binary !== undefined) return { kind: "binary", description: binary };
    options.onPiece?.(piece);
    collector.add(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
    if (piece.byteLength < PIECE_BYTES) return collector.finish({ isWhole: true });
    if (!collector.isComplete) continue;
    countUntil = Math.min(countUntil, offsetBytes + COUNTED_BYTES);
    if (offsetBytes >= countUntil) return collector.finish({ isWhole: false });
  }
}

/** A page of lines that are in memory. */
export function pageOfLines(lines: readonly string[], options: PageBounds): TextPage {
  const collector = new LineCollector(options);
  for (const line of lines) collector.add(Buffer.from(`${line}\n`));
  return collector.finish({ isWhole: true });
}

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

class LineCollector {
  /** No further line belongs to the page. */
  isComplete = false;
  readonly #options: PageBounds;
  readonly #lines: PageLine[] = [];
  #pageBytes = 0;
  #hasCarriageReturns = false;
  #hasOtherBytes = false;
  /** The number of the line that is being read. */
  #number = 1;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #lineBytes = 0;

  constructor(options: PageBounds) {
    this.#options = options;
  }

  add(piece: Buffer): void {
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, start)) {
      this.#keep(piece.subarray(start, end));
      this.#endLine();
      start = end + 1;
    }
    this.#keep(piece.subarray(start));
  }

  finish({ isWhole }: { readonly isWhole: boolean }): TextPage {
    const endsWithNewline = this.#lineBytes === 0;
    if (!endsWithNewline && isWhole) this.#endLine();
    return {
      kind: "text",
      lines: this.#lines,
      totalLines: isWhole ? this.#number - 1 : undefined,
      endsWithNewline,
      hasCarriageReturns: this.#hasCarriageReturns,
      hasOtherBytes: this.#hasOtherBytes,
    };
  }

  #keep(part: Buffer): void {
    this.#lineBytes += part.length;
    // Four bytes are the most that a character takes.
    const room = this.#options.maxLineCharacters * 4 - this.#keptBytes;
    if (this.isComplete || this.#number < this.#options.firstLine || room <= 0 || part.length === 0) return;
    // Copied: the piece that it is a part of is a megabyte.
    const kept = Buffer.from(part.subarray(0, room));
    this.#kept.push(kept);
    this.#keptBytes += kept.length;
  }

  #endLine(): void {
    if (!this.isComplete && this.#number >= this.#options.firstLine) this.#addLine();
    this.#number += 1;
    this.#kept = [];
    this.#keptBytes = 0;
    this.#lineBytes = 0;
  }

  #addLine(): void {
    const line = this.#readLine();
    const bytes = Buffer.byteLength(line.text);
    if (this.#lines.length > 0 && this.#pageBytes + bytes > this.#options.maxBytes) {
      this.isComplete = true;
      return;
    }
    this.#pageBytes += bytes;
    this.#lines.push(line);
    this.isComplete = this.#lines.length >= this.#options.maxLines;
  }

  #readLine(): PageLine {
    const bytes = Buffer.concat(this.#kept);
    const isWhole = bytes.length === this.#lineBytes;
    const hasCarriageReturn = isWhole && bytes.at(-1) === CARRIAGE_RETURN;
    this.#hasCarriageReturns ||= hasCarriageReturn;
    const text = bytes.toString("utf8", 0, hasCarriageReturn ? bytes.length - 1 : bytes.length);
    if (isWhole) this.#hasOtherBytes ||= !isUtf8(bytes);
    const limit = this.#options.maxLineCharacters;
    if (isWhole && text.length <= limit) return { text };
    const characters = Array.from(text);
    if (isWhole && characters.length <= limit) return { text };
    return { text: characters.slice(0, limit).join(""), cutFromBytes: this.#lineBytes };
  }
}
