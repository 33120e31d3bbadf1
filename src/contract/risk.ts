/**
 * What a tool may do, which alone decides where it runs: `read` in-process on a read-only view, `write` in-process on
 * a copy-on-write layer, `exec` in a sandbox.
 */
export type Risk = "read" | "write" | "exec";
