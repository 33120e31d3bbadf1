/** The thread that a PDF is read in. It is ended from outside, whatever a document makes it do. */
import { parentPort, workerData } from "node:worker_threads";
import { getDocumentProxy } from "unpdf";
import type { PdfJob, PdfMessage } from "./pdf-message.ts";

async function readPdf({ bytes }: PdfJob): Promise<void> {
  const document = await getDocumentProxy(bytes, {
    // Nothing is drawn or looked for outside of the document, and nothing is printed.
    disableFontFace: true,
    useSystemFonts: false,
    useWasm: false,
    verbosity: 0,
  });
  tell({ kind: "opened", pages: document.numPages });
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const text = items.map((item) => ("str" in item ? `${item.str}${item.hasEOL ? "\n" : ""}` : "")).join("");
    tell({ kind: "page", lines: linesOf(text) });
    page.cleanup();
  }
}

function linesOf(text: string): readonly string[] {
  const trimmed = text.trimEnd();
  return trimmed === "" ? [] : trimmed.split(/\r\n|[\n\r]/);
}

function tell(message: PdfMessage): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port to a thread has none
  parentPort?.postMessage(message);
}

try {
  // Only readPdf() in read-pdf.ts starts this module, with a job.
  await readPdf(workerData as PdfJob);
} catch (error) {
  const isEncrypted = error instanceof Error && error.name === "PasswordException";
  tell({ kind: "failed", reason: isEncrypted ? "encrypted" : "broken" });
}
