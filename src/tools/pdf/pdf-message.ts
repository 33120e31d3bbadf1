/** What the thread that reads a PDF is given. */
export interface PdfJob {
  readonly bytes: Uint8Array;
}

/** What it tells, in this order: how many pages there are, then the lines of each; or that it cannot. */
export type PdfMessage =
  | { readonly kind: "opened"; readonly pages: number }
  | { readonly kind: "page"; readonly lines: readonly string[] }
  | { readonly kind: "failed"; readonly reason: "encrypted" | "broken" };
