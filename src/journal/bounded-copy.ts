/*
 * What a record says of an input is copied when the call ends and written some time later. The copy is bounded in every
 * direction, whatever the model sent: a call must not become slow, nor a journal large, because of what it was given. A text
 * is copied longer than it will be shown, so that a secret at the border is seen whole and masked whole.
 */

/** Copies what a record may need of a value: plain data of bounded size. Never throws. */
export function copyBounded(value: unknown): unknown {
  try {
    return copy(value, { values: MOST_VALUES, depth: 0 });
  } catch {
    // A getter or proxy in what a model's caller handed over; the call itself has been answered long ago.
    return "(unreadable)";
  }
}

/** The beginning of a text: all of it, or the whole words of what is looked at. */
export function copyText(text: string): string {
  if (text.length <= LOOKED_AT) return text;
  let end = LOOKED_AT;
  // A word that is cut could be the beginning of a secret that no pattern knows by its beginning.
  while (end > LOOKED_AT - LONGEST_WORD && text.charCodeAt(end - 1) > SPACE) end -= 1;
  return text.slice(0, end) + CUT;
}

/** What stands where something was left out. */
export const CUT = "…";

const LOOKED_AT = 1_024;
const LONGEST_WORD = 256;
const SPACE = 0x20;
const MOST_VALUES = 80;
const MOST_DEPTH = 6;
const MOST_KEY_CHARACTERS = 64;

interface Room {
  values: number;
  readonly depth: number;
}

function copy(value: unknown, room: Room): unknown {
  room.values -= 1;
  switch (typeof value) {
    case "string":
      return copyText(value);
    case "number":
    case "boolean":
    case "undefined":
      return value;
    case "bigint":
      return copyText(`${value}n`);
    case "symbol":
    case "function":
      return `(${typeof value})`;
    case "object":
      return value === null ? null : copyContainer(value, room);
  }
}

function copyContainer(value: object, room: Room): unknown {
  if (ArrayBuffer.isView(value)) return `(${value.byteLength} bytes)`;
  if (room.depth >= MOST_DEPTH || room.values <= 0) return CUT;
  const inside = { values: room.values, depth: room.depth + 1 };
  const copied = Array.isArray(value) ? copyList(value, inside) : copyFields(value, inside);
  room.values = inside.values;
  return copied;
}

function copyList(list: readonly unknown[], room: Room): unknown {
  const copied: unknown[] = [];
  for (const element of list) {
    if (room.values <= 0) return [...copied, CUT];
    copied.push(copy(element, room));
  }
  return copied;
}

function copyFields(fields: object, room: Room): unknown {
  const entries: [string, unknown][] = [];
  for (const key of Object.keys(fields)) {
    if (room.values <= 0) {
      entries.push([CUT, CUT]);
      break;
    }
    const value: unknown = Reflect.get(fields, key);
    entries.push([key.length > MOST_KEY_CHARACTERS ? copyKey(key) : key, copy(value, room)]);
  }
  // Not by assignment: a key may be "__proto__".
  return Object.fromEntries(entries);
}

function copyKey(key: string): string {
  return key.slice(0, MOST_KEY_CHARACTERS) + CUT;
}
