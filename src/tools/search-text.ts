import { setImmediate } from "node:timers/promises";
import type { CompiledPattern } from "./compile-pattern.ts";

/** How to search a text. */
export interface SearchOptions {
  readonly pattern: Pick<Extract<CompiledPattern, { ok: true }>, "matchesLine" | "mayMatchIn">;
  /** Matching lines after which the search ends. */
  readonly maxMatches: number;
  readonly signal: AbortSignal;
}

const BLOCK_CHARACTERS = 65_536;
/** How long matching may keep the engine from everything else. */
const SLICE_MS = 20;

/**
 * Finds the lines that match, by their index, in a text whose lines end in LF. It is looked at in blocks of lines, most of
 * which one test rules out as a whole. Matching runs on the engine's own thread, so it is left every few milliseconds,
 * and an abort is seen then. What a line has beyond `BLOCK_CHARACTERS` is not searched.
 */
export async function findMatchingLines(
  text: string,
  { pattern, maxMatches, signal }: SearchOptions,
): Promise<readonly number[]> {
  const found: number[] = [];
  let sliceStart = performance.now();
  let counted: LineCount = { offset: 0, lines: 0 };
  for (const { start, end } of blocksOf(text)) {
    if (performance.now() - sliceStart > SLICE_MS) {
      await setImmediate();
      sliceStart = performance.now();
    }
    signal.throwIfAborted();
    const block = text.slice(start, end);
    // A block that is much longer than asked for has an endless line, which is searched in part.
    if (block.length <= BLOCK_CHARACTERS * 2 && !pattern.mayMatchIn(block)) continue;
    counted = countLines(text, counted, start);
    for (const [index, line] of block.split("\n").entries()) {
      if (!pattern.matchesLine(line.length > BLOCK_CHARACTERS ? line.slice(0, BLOCK_CHARACTERS) : line)) continue;
      found.push(counted.lines + index);
      if (found.length >= maxMatches) return found;
    }
  }
  return found;
}

interface Block {
  readonly start: number;
  /** Without the last line's LF. */
  readonly end: number;
}

function* blocksOf(text: string): Generator<Block, void> {
  let start = 0;
  while (start < text.length) {
    const newline = text.indexOf("\n", start + BLOCK_CHARACTERS);
    const end = newline === -1 ? text.length - (text.endsWith("\n") ? 1 : 0) : newline;
    yield { start, end };
    start = newline === -1 ? text.length : newline + 1;
  }
}

interface LineCount {
  readonly offset: number;
  /** How many lines end before the offset. */
  readonly lines: number;
}

function countLines(text: string, from: LineCount, offset: number): LineCount {
  let lines = from.lines;
  for (let at = text.indexOf("\n", from.offset); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) lines += 1;
  return { offset, lines };
}
