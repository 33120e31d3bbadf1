import type { Writable } from "node:stream";
import { styleText } from "node:util";

/** One of our two outputs, as commands see it. */
export interface OutputStream {
  readonly isTerminal: boolean;
  readonly hasColour: boolean;
  /** Aborted when nobody reads the stream any more; what is written afterwards is dropped. */
  readonly broken: AbortSignal;
  /** Writes text or bytes as they are. */
  write(data: string | Uint8Array): void;
  /** Whether the last thing that was written ended its line. */
  isAtLineStart(): boolean;
  /** Settles when everything written so far has left the process, or the stream is broken. */
  flush(): Promise<void>;
}

/** A Node stream that may be a terminal. */
export type TerminalWritable = Writable & { readonly isTTY?: boolean };

/** Wraps a Node stream: a reader that goes away (`| head`) ends the output quietly instead of the process loudly. */
export function openOutputStream(stream: TerminalWritable, environment: NodeJS.ProcessEnv): OutputStream {
  const broken = new AbortController();
  stream.on("error", () => broken.abort());
  let isLineOpen = false;
  const isTerminal = stream.isTTY === true;
  return {
    isTerminal,
    hasColour: wantsColour(isTerminal, environment),
    broken: broken.signal,
    write(data) {
      if (broken.signal.aborted || data.length === 0) return;
      isLineOpen = data.at(-1) !== "\n" && data.at(-1) !== LINE_FEED;
      stream.write(data);
    },
    isAtLineStart: () => !isLineOpen,
    async flush() {
      if (broken.signal.aborted) return;
      await new Promise<void>((resolve) => {
        broken.signal.addEventListener("abort", () => resolve(), { once: true });
        stream.write("", () => resolve());
      });
    },
  };
}

const LINE_FEED = 0x0a;

/** `FORCE_COLOR` beats `NO_COLOR`, as in Node; without either, colour is for terminals only. */
function wantsColour(isTerminal: boolean, environment: NodeJS.ProcessEnv): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: refused, TERM: terminalType } = environment;
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  if (refused !== undefined && refused !== "") return false;
  return isTerminal && terminalType !== "dumb";
}

/** What colours mean here. */
export type Style = "title" | "muted" | "good" | "bad" | "warning" | "hunk" | "escape";

/** Styles text where the stream shows colour; elsewhere the text stays as it is. */
export function paint(stream: Pick<OutputStream, "hasColour">, style: Style, text: string): string {
  return stream.hasColour ? styleText(FORMATS[style], text, { validateStream: false }) : text;
}

const FORMATS = {
  title: "bold",
  muted: "dim",
  good: "green",
  bad: "red",
  warning: "yellow",
  hunk: "cyan",
  escape: "inverse",
} as const;
