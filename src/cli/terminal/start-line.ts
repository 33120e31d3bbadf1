import type { OutputStream } from "./output-stream.ts";

/** Ends a line that a command has left open, so that what we say next stands on a line of its own. */
export function startLine({ out, err }: { readonly out: OutputStream; readonly err: OutputStream }): void {
  const isSharedLineOpen = out.isTerminal && err.isTerminal && !out.isAtLineStart();
  if (isSharedLineOpen || !err.isAtLineStart()) err.write("\n");
}
