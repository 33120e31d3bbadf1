/** A part of a PDF that is written out as it is, in front of what is made of the pages. */
export interface PdfParts {
  /** A content stream for each page, and the filter that undoes its coding. */
  readonly streams: readonly { readonly content: Uint8Array; readonly filter?: string }[];
  /** Entries of the trailer. */
  readonly trailer?: string;
}

/** A PDF of pages that each show some lines. */
export function makePdf(pages: readonly (readonly string[])[], trailer?: string): Buffer {
  const streams = pages.map((lines) => {
    const shown = lines.map((line) => `(${line.replaceAll(/[()\\]/g, String.raw`\$&`)}) Tj T*`);
    return { content: Buffer.from(`BT /F1 12 Tf 14 TL 72 720 Td ${shown.join(" ")} ET`, "latin1") };
  });
  return makePdfOf({ streams, ...(trailer === undefined ? {} : { trailer }) });
}

/** A PDF of pages with these content streams. */
export function makePdfOf({ streams, trailer = "" }: PdfParts): Buffer {
  const kids = streams.map((_, index) => `${4 + index * 2} 0 R`).join(" ");
  const objects: Buffer[] = [
    Buffer.from("<< /Type /Catalog /Pages 2 0 R >>"),
    Buffer.from(`<< /Type /Pages /Kids [${kids}] /Count ${streams.length} >>`),
    Buffer.from("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"),
    ...streams.flatMap(({ content, filter }, index) => [
      Buffer.from(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + index * 2} 0 R >>`,
      ),
      Buffer.concat([
        Buffer.from(`<< /Length ${content.length}${filter === undefined ? "" : ` /Filter /${filter}`} >>\nstream\n`),
        content,
        Buffer.from("\nendstream"),
      ]),
    ]),
  ];
  const parts: Buffer[] = [Buffer.from("%PDF-1.7\n%\u00e2\u00e3\n", "latin1")];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  for (const [index, body] of objects.entries()) {
    const object = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), body, Buffer.from("\nendobj\n")]);
    offsets.push(length);
    length += object.length;
    parts.push(object);
  }
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  parts.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${length}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}
