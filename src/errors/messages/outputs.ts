/** Sentences about outputs that are too long for a result, for the model. */
export const outputMessages = {
  /** Stands where the middle was. Offsets are written plainly, for the model copies them into a call. */
  leftOut: ({
    characters,
    id,
    offset,
  }: {
    readonly characters: number;
    readonly id: string;
    readonly offset: number;
  }) =>
    `(${grouped(characters)} characters are left out here; "read_output" with the id "${id}" reads on from offset ${offset}, or finds a pattern)`,
  /** The same when the whole could not be written to disk. */
  lost: (characters: number) =>
    `(${grouped(characters)} characters are left out here, and could not be kept; ask for less at a time)`,

  unknown: (id: string) =>
    `Cannot read the output "${id}": it is not there, or no longer; run the tool that gave it again`,
  beyondEnd: ({
    id,
    offset,
    characters,
  }: {
    readonly id: string;
    readonly offset: number;
    readonly characters: number;
  }) =>
    `Cannot read the output "${id}": offset ${offset} is beyond its end; it has ${grouped(characters)} characters, so use an offset below ${characters}`,
  slice: (slice: { readonly from: number; readonly to: number; readonly characters: number }) => {
    const rest = slice.to < slice.characters ? `read on with offset ${slice.to}` : "this is its end";
    return `(offset ${slice.from} to ${slice.to} of ${grouped(slice.characters)} characters; ${rest})`;
  },
  match: (offset: number, text: string) => `offset ${offset}: ${text}`,
  noMatch: "(no match)",
  moreMatches: (offset: number) => `(there may be more; search on with offset ${offset})`,
} as const;

function grouped(amount: number): string {
  return NUMBERS.format(amount);
}

const NUMBERS = new Intl.NumberFormat("en-US");
