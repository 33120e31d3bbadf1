import type { DispatchRecord } from "../contract/record.ts";
import { CUT, copyText } from "./bounded-copy.ts";
import { maskSecrets } from "./mask-secrets.ts";
import { maskText } from "./mask-text.ts";

/**
 * The text that is hashed and written: a record as JSON, secrets masked, long texts cut. Its input has been copied by
 * `copyBounded`, so the whole is bounded: 32 KiB at the very most, a few hundred bytes as a rule.
 */
export function writeRecord(record: DispatchRecord): string {
  const { callId, parentCallId, tool, input, error, verdict, backend, termination, coercions } = record;
  // What is undefined is left out of the text.
  return JSON.stringify({
    ...record,
    callId: shorten(callId, NAME_CHARACTERS),
    parentCallId: parentCallId === undefined ? undefined : shorten(parentCallId, NAME_CHARACTERS),
    tool: shorten(tool, NAME_CHARACTERS),
    input: input === undefined ? undefined : cutWithin(maskSecrets(input), { left: INPUT_CHARACTERS }),
    error: error === undefined ? undefined : shorten(error, SENTENCE_CHARACTERS),
    verdict: verdict === undefined ? undefined : shorten(verdict, SENTENCE_CHARACTERS),
    backend: backend === undefined ? undefined : shorten(backend, NAME_CHARACTERS),
    termination: termination === undefined ? undefined : shorten(termination, NAME_CHARACTERS),
    coercions: coercions?.slice(0, MOST_COERCIONS).map((one) => shorten(one, NAME_CHARACTERS)),
  });
}

const NAME_CHARACTERS = 128;
const SENTENCE_CHARACTERS = 600;
const MOST_COERCIONS = 8;
/** Of all texts of an input together, and of one of them. */
const INPUT_CHARACTERS = 2_000;
const TEXT_CHARACTERS = 400;

/** Masked first: a secret that is cut no longer looks like one. */
function shorten(text: string, characters: number): string {
  return cut(maskText(copyText(text)), characters);
}

interface Room {
  left: number;
}

function cutWithin(value: unknown, room: Room): unknown {
  if (typeof value === "string") return take(value, room);
  if (Array.isArray(value)) return value.map((element) => cutWithin(element, room));
  if (typeof value !== "object" || value === null) return value;
  const entries: [string, unknown][] = [];
  for (const [key, field] of Object.entries(value)) {
    if (room.left <= 0) {
      entries.push([CUT, CUT]);
      break;
    }
    room.left -= key.length;
    entries.push([key, cutWithin(field, room)]);
  }
  return Object.fromEntries(entries);
}

function take(text: string, room: Room): string {
  const taken = cut(text, Math.max(0, Math.min(TEXT_CHARACTERS, room.left)));
  room.left -= taken.length;
  return taken;
}

function cut(text: string, characters: number): string {
  return text.length <= characters ? text : text.slice(0, characters) + CUT;
}
