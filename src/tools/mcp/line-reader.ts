/**
 * Cuts a stream into lines. Every byte is looked at once and copied once: the pieces of a long line are kept apart until
 * its end comes, so that a server which sends one in many pieces costs its length and no more.
 */
export class LineReader {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Takes a piece of the stream and gives the lines that end in it, without what ends them.
   * @throws RangeError when a line is longer than the limit.
   */
  *read(chunk: Buffer): Generator<string> {
    let start = 0;
    for (let end = chunk.indexOf(NEW_LINE); end !== -1; end = chunk.indexOf(NEW_LINE, start)) {
      this.#keep(chunk.subarray(start, end));
      start = end + 1;
      yield this.#takeLine();
    }
    this.#keep(chunk.subarray(start));
  }

  #keep(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#maxBytes) throw new RangeError(`A line is longer than ${this.#maxBytes} bytes`);
    if (piece.length > 0) this.#pieces.push(piece);
  }

  #takeLine(): string {
    const line = Buffer.concat(this.#pieces).toString("utf8");
    this.#pieces = [];
    this.#bytes = 0;
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  }
}

const NEW_LINE = 0x0a;
