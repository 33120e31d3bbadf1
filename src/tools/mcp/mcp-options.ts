import type { Risk } from "../../contract/risk.ts";
import type { Tool, ToolCollection } from "../../contract/tool.ts";

/** A server that is started as a child process and spoken to over its stdin and stdout. */
export interface McpCommand {
  /** 1 to 32 letters, digits, `-` and single `_` between them: the middle of the tools' names. */
  readonly name: string;
  readonly command: string;
  /** @default [] */
  readonly args?: readonly string[];
  /** Added to `PATH`, `HOME` and `LANG`, which are all that the process gets of the engine's environment. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** @default the engine's working directory */
  readonly cwd?: string;
}

/** A server that is reached over HTTP. */
export interface McpAddress {
  /** 1 to 32 letters, digits, `-` and single `_` between them: the middle of the tools' names. */
  readonly name: string;
  readonly url: string | URL;
  /** Sent with each request, such as an `Authorization`. @default {} */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Which server to use, and how to reach it. */
export type McpServerDefinition = McpCommand | McpAddress;

/** How the tools of a server are treated, all of them or one. */
export interface McpToolOptions {
  /**
   * What the tools may do. A server works outside of every sandbox, so `exec` means no more than that somebody is asked.
   * What the server says of its tools can make this stricter, never laxer.
   * @default "exec"
   */
  readonly risk?: Risk;
  /** Ask the reviewer each time, whatever the allow rules say. @default false */
  readonly requiresApproval?: boolean;
  /** How long a call may go on without an answer or a sign of progress. @default 60_000 */
  readonly timeoutMs?: number;
  /** How long a call may go on whatever progress it reports, at most 600_000. @default 600_000 */
  readonly maxTimeoutMs?: number;
}

/** How a server is used. */
export interface McpServerOptions extends McpToolOptions {
  /** Other settings for single tools, by the names that the server gives them. */
  readonly tools?: Readonly<Record<string, McpToolOptions>>;
  /** Take only tools whose names, as the server gives them, match one of these globs. @default all */
  readonly include?: readonly string[];
  /** Leave out tools whose names match one of these globs; it beats `include`. @default none */
  readonly exclude?: readonly string[];
  /** Time to start or reach the server and to list its tools. @default 30_000 */
  readonly connectTimeoutMs?: number;
  /** How often a call tries to connect when the connection was lost, with growing pauses between. @default 3 */
  readonly connectAttempts?: number;
  /**
   * A call that comes this long after the tools were last listed lists them anew first, so that a tool that has changed is
   * noticed though the server says nothing. @default 60_000
   */
  readonly relistAfterMs?: number;
  /**
   * `legacy` begins as revisions up to 2025 do, `auto` first asks whether the server speaks 2026-07-28 or later.
   * @default "legacy" for a command, "auto" for a URL
   */
  readonly protocol?: "legacy" | "auto";
}

/** A connected server. Disposing of it closes the connection and ends the server's process with all its children. */
export interface McpServer extends AsyncDisposable, Iterable<Tool>, ToolCollection {
  readonly name: string;
  /** The tools that it offered when it was connected to, ready for `createEngine`. */
  readonly tools: readonly Tool[];
  /** What a person should know of the tools: left out, cleaned, made stricter; in sentences. */
  readonly notices: readonly string[];
}
