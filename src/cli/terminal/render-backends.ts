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
  const lines = capabilities.available
    ? [`${paint(stream, "good", "available")}  ${describe(capabilities)}`]
    : [
        `${paint(stream, "bad", "not available")}  ${escapeText(capabilities.reason)}`,
        `${indent}${escapeText(capabilities.remedy)}`,
      ];
  return `  ${name}  ${lines.join("\n")}\n`;
}

function describe({ commands, workspace, details }: Extract<Capabilities, { available: true }>): string {
  const facts = Object.entries(details).map(([key, value]) => `${key} ${value}`);
  const access = workspace === "none" ? "no workspace" : `workspace by ${workspace}`;
  return escapeText([`runs ${commands.join(" and ")}`, access, ...facts].join(", "));
}
