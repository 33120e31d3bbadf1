import { setImmediate } from "node:timers/promises";
import type { CompiledPattern } from "./compile-pattern.ts";

/** How to search a text. */
export interface SearchOptions {
  readonly pattern: Extract<CompiledPattern, { ok: true }>;
  /** Matching lines after which the search ends. */
  readonly maxMatches: number;
  readonly signal: AbortSignal;
}

const BLOCK_CHARACTERS = 65_536;
/** How long matching may keep the engine from everything else. */
const SLICE_MS = 20;

/**
 * Finds the lines that match, by their index. Lines are looked at in blocks, most of which one test rules out as a whole.
 * Matching runs on the engine's own thread, so it is left every few milliseconds, and an abort is seen then. What a line
 * has beyond `BLOCK_CHARACTERS` is not searched.
 */
export async function findMatchingLines(
  lines: readonly string[],
  { pattern, maxMatches, signal }: SearchOptions,
): Promise<readonly number[]> {
  const found: number[] = [];
  let sliceStart = performance.now();
  for (const block of blocksOf(lines)) {
    if (performance.now() - sliceStart > SLICE_MS) {
      await setImmediate();
      sliceStart = performance.now();
    }
    signal.throwIfAborted();
    if (!pattern.mayMatchIn(textOf(lines, block))) continue;
    for (let index = block.start; index < block.end; index += 1) {
      if (!pattern.matchesLine(searchedPart(lines[index] ?? ""))) continue;
      found.push(index);
      if (found.length >= maxMatches) return found;
    }
  }
  return found;
}

interface Block {
  readonly start: number;
  readonly end: number;
}

function* blocksOf(lines: readonly string[]): Generator<Block, void> {
  let start = 0;
  let characters = 0;
  for (const [index, line] of lines.entries()) {
    characters += Math.min(line.length, BLOCK_CHARACTERS);
    if (characters < BLOCK_CHARACTERS) continue;
    yield { start, end: index + 1 };
    start = index + 1;
    characters = 0;
  }
  if (start < lines.length) yield { start, end: lines.length };
}

function textOf(lines: readonly string[], { start, end }: Block): string {
  return lines.slice(start, end).map(searchedPart).join("\n");
}

function searchedPart(line: string): string {
  return line.length > BLOCK_CHARACTERS ? line.slice(0, BLOCK_CHARACTERS) : line;
}
