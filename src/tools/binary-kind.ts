/** What `findBinaryKind` says of a PDF. */
export const PDF_KIND = "a PDF document";

/** How much of a file's start is looked at. */
export const SNIFFED_BYTES = 8_192;

/**
 * What kind of binary file it is by its first bytes, or `undefined` for text. As in git, a NUL byte near the start is what
 * makes a file binary; the well-known signatures come first, since some formats start with text.
 */
export function findBinaryKind(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, SNIFFED_BYTES));
  const known = SIGNATURES.find(({ offset = 0, signature }) =>
    start.subarray(offset, offset + signature.length).equals(signature),
  );
  if (known !== undefined) return known.kind;
  if (!start.includes(0)) return undefined;
  return isUtf16(start) ? "UTF-16 text" : "binary data";
}

interface Signature {
  readonly kind: string;
  readonly signature: Buffer;
  /** @default 0 */
  readonly offset?: number;
}

const SIGNATURES: readonly Signature[] = [
  { kind: "a PNG image", signature: Buffer.from("89504e470d0a1a0a", "hex") },
  { kind: "a JPEG image", signature: Buffer.from("ffd8ff", "hex") },
  { kind: "a GIF image", signature: Buffer.from("GIF8", "latin1") },
  { kind: "a WebP image", signature: Buffer.from("WEBP", "latin1"), offset: 8 },
  { kind: PDF_KIND, signature: Buffer.from("%PDF-", "latin1") },
  { kind: "a ZIP archive (also used by jar, docx, xlsx and whl files)", signature: Buffer.from("504b0304", "hex") },
  { kind: "a gzip archive", signature: Buffer.from("1f8b08", "hex") },
  { kind: "an xz archive", signature: Buffer.from("fd377a585a00", "hex") },
  { kind: "a Zstandard archive", signature: Buffer.from("28b52ffd", "hex") },
  { kind: "a bzip2 archive", signature: Buffer.from("BZh", "latin1") },
  { kind: "a tar archive", signature: Buffer.from("ustar", "latin1"), offset: 257 },
  { kind: "an ELF executable or library", signature: Buffer.from("7f454c46", "hex") },
  { kind: "a WebAssembly module", signature: Buffer.from("0061736d", "hex") },
  { kind: "a SQLite database", signature: Buffer.from("SQLite format 3\0", "latin1") },
];

function isUtf16(start: Buffer): boolean {
  const mark = start.subarray(0, 2).toString("hex");
  return mark === "fffe" || mark === "feff";
}
