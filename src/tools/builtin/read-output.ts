import { setImmediate } from "node:timers/promises";
import type { Tool, ToolOutcome } from "../../contract/tool.ts";
import { outputMessages } from "../../errors/messages/outputs.ts";
import { characterBorder } from "../../state/character-border.ts";
import type { OutputStore } from "../../state/output-store.ts";
import { type CompiledPattern, compilePattern } from "../compile-pattern.ts";
import { defineTool } from "../define-tool.ts";

/** What the tool reads, and how much it may say. */
export interface ReadOutputOptions {
  /** The outputs of the engine's root. */
  readonly outputs: Promise<OutputStore>;
  /** The budget of a result: what is read must not be spilled again. */
  readonly maxCharacters: number;
}

/** Makes the tool that reads an output which was too long for a result. Each engine has one. */
export function createReadOutputTool({ outputs, maxCharacters }: ReadOutputOptions): Tool {
  const maximum = Math.min(MAX_LIMIT, maxCharacters - FRAME_CHARACTERS);
  return defineTool({
    name: "read_output",
    description: `Reads an output of an earlier call that was too long for its result, by the id that stands where its middle was left out. Without "pattern" it gives "limit" characters from "offset" on; with "pattern" it gives the places that match, each with the text around it and its offset. A match is looked for in at most ${OVERLAP_CHARACTERS} characters.`,
    risk: "read",
    capabilities: ["output"],
    openWorld: false,
    parameters: {
      type: "object",
      properties: {
        id: { type: "string", pattern: "^[0-9a-f]{32}$", description: "The id of the output" },
        offset: { type: "integer", minimum: 0, default: 0, description: "The character to begin at" },
        limit: {
          type: "integer",
          minimum: 1,
          maximum,
          default: Math.min(DEFAULT_LIMIT, maximum),
          description: 'Characters to give at most; with "pattern" it does not count',
        },
        pattern: {
          type: "string",
          minLength: 1,
          maxLength: 1_000,
          description: "A regular expression to look for (RE2 syntax: no lookaround, no backreferences)",
        },
      },
      required: ["id"],
    },
    describe: ({ id }) => `Read the output ${id}`,
    execute: async ({ id, offset, limit, pattern }, { signal }) => {
      const store = await outputs;
      const range = { id, offset, limit };
      if (pattern === undefined) return await readSlice(store, range);
      const compiled = compilePattern(pattern, { ignoreCase: false });
      if (!compiled.ok) return { success: false, error: compiled.problem };
      return await findMatches(store, range, { pattern: compiled, maxCharacters: maximum, signal });
    },
  });
}

const DEFAULT_LIMIT = 4_000;
const MAX_LIMIT = 20_000;
/** What a line about the slice, or the end of a list of matches, may take beside it. */
const FRAME_CHARACTERS = 500;

interface Range {
  readonly id: string;
  readonly offset: number;
  readonly limit: number;
}

async function readSlice(store: OutputStore, { id, offset, limit }: Range): Promise<ToolOutcome> {
  // One character before and one behind, to see whether the slice would cut one in two.
  const from = Math.max(0, offset - 1);
  const read = await store.read(id, { offset: from, limit: limit + (offset - from) + 1 });
  if (read === undefined) return { success: false, error: outputMessages.unknown(id), errorKind: "not-found" };
  const { characters } = read;
  if (offset >= characters) return { success: false, error: outputMessages.beyondEnd({ id, offset, characters }) };
  const start = characterBorder(read.text, offset - from);
  const end = Math.max(characterBorder(read.text, Math.min(offset - from + limit, read.text.length)), start + 1);
  const frame = outputMessages.slice({ from: from + start, to: from + end, characters });
  return { success: true, output: `${read.text.slice(start, end)}\n${frame}` };
}

interface Search {
  readonly pattern: Extract<CompiledPattern, { ok: true }>;
  readonly maxCharacters: number;
  readonly signal: AbortSignal;
}

const WINDOW_CHARACTERS = 65_536;
const OVERLAP_CHARACTERS = 1_000;
const AROUND_CHARACTERS = 120;
const MAX_MATCHES = 50;
const SEPARATOR = "\n--\n";

/**
 * Looks at the output in windows, so that its size costs no memory. A window begins a little before the place where
 * matches count, which lets `^` and `\b` see what stands there, and ends behind it, so that a match may cross the border.
 */
async function findMatches(store: OutputStore, { id, offset }: Range, search: Search): Promise<ToolOutcome> {
  const lines: string[] = [];
  let room = search.maxCharacters;
  for (let next = offset; ;) {
    const window = await readWindow(store, id, next);
    if (window === undefined) return { success: false, error: outputMessages.unknown(id), errorKind: "not-found" };
    const { characters } = window;
    if (offset >= characters) return { success: false, error: outputMessages.beyondEnd({ id, offset, characters }) };
    const windowEnd = next + WINDOW_CHARACTERS;
    for (let found = findIn(window, next, search); found !== undefined; found = findIn(window, next, search)) {
      if (found.start >= windowEnd) break;
      if (lines.length >= MAX_MATCHES || found.line.length > room) return answer(lines, found.start);
      lines.push(found.line);
      room -= found.line.length + SEPARATOR.length;
      next = found.shownTo;
    }
    next = Math.max(next, windowEnd);
    if (next >= characters) return answer(lines, undefined);
    search.signal.throwIfAborted();
    // Matching keeps the engine's own thread busy; whatever else waits gets its turn.
    await setImmediate();
  }
}

interface SearchWindow {
  readonly text: string;
  /** Where the text begins in the output. */
  readonly offset: number;
  readonly characters: number;
}

async function readWindow(store: OutputStore, id: string, from: number): Promise<SearchWindow | undefined> {
  const offset = Math.max(0, from - AROUND_CHARACTERS);
  const limit = from - offset + WINDOW_CHARACTERS + OVERLAP_CHARACTERS;
  const read = await store.read(id, { offset, limit });
  return read === undefined ? undefined : { ...read, offset };
}

function findIn(
  { text, offset }: SearchWindow,
  from: number,
  { pattern }: Search,
): { readonly start: number; readonly shownTo: number; readonly line: string } | undefined {
  if (from - offset >= text.length) return undefined;
  const match = pattern.findFrom(text, from - offset);
  if (match === undefined) return undefined;
  const shownFrom = characterBorder(text, Math.max(0, match.start - AROUND_CHARACTERS));
  const matchEnd = Math.min(match.end, match.start + OVERLAP_CHARACTERS);
  const shownTo = characterBorder(text, Math.min(text.length, matchEnd + AROUND_CHARACTERS));
  const line = outputMessages.match(offset + match.start, text.slice(shownFrom, shownTo));
  // What has been shown is not shown again; at least one character on, for a match may be empty.
  return { start: offset + match.start, shownTo: Math.max(offset + shownTo, from + 1), line };
}

function answer(lines: readonly string[], more: number | undefined): ToolOutcome {
  if (lines.length === 0) return { success: true, output: outputMessages.noMatch };
  const end = more === undefined ? [] : [outputMessages.moreMatches(more)];
  return { success: true, output: [...lines, ...end].join(SEPARATOR) };
}
