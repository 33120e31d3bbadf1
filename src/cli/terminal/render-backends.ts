import type { BackendReport } from "../../contract/engine.ts";
import type { Capabilities } from "../../contract/sandbox.ts";
import { escapeText } from "./escape-text.ts";
import { paint } from "./output-stream.ts";
import type { OutputStream } from "./output-stream.ts";

/** What each backend's probe found: what it runs, or why it cannot and what to do about it. */
export function renderBackends(reports: readonly BackendReport[], stream: Pick<OutputStream, "hasColour">): string {
  const nameWidth = Math.max(0, ...reports.map(({ name }) => name.length));
  return reports.map(({ name, capabilities }) => renderBackend(name.padEnd(nameWidth), capabilities, stream)).join("");
}

function renderBackend(name: string, capabilities: Capabilities, stream: Pick<OutputStream, "hasColour">): string {
  const indent = " ".repeat(name.length + 4);
  const paragraphs = capabilities.available
    ? [describe(capabilities), describeFacts(capabilities.details)]
    : [capabilities.reason, capabilities.remedy];
  const state = capabilities.available ? "available" : "not available";
  const painted = paint(stream, capabilities.available ? "good" : "bad", state);
  const [first = "", ...rest] = paragraphs
    .filter((text) => text !== "")
    .flatMap((text, index) =>
      wrap(escapeText(text), LINE_WIDTH - indent.length - (index === 0 ? state.length + 2 : 0)),
    );
  return [`  ${name}  ${painted}  ${first}`, ...rest.map((line) => indent + line), ""].join("\n");
}

const LINE_WIDTH = 100;

/** Breaks a text at its spaces; a word that is longer than a line has one of its own. */
function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

function describe({ commands, workspace }: Extract<Capabilities, { available: true }>): string {
  return `runs ${commands.join(" and ")}, ${workspace === "none" ? "no workspace" : `workspace by ${workspace}`}`;
}

function describeFacts(details: Extract<Capabilities, { available: true }>["details"]): string {
  return Object.entries(details)
    .map(([key, value]) => `${key} ${value}`)
    .join(", ");
}
