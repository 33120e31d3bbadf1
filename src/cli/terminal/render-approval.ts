import type { ApprovalRequest } from "../../contract/gate.ts";
import { escapeText } from "./escape-text.ts";
import { paint } from "./output-stream.ts";
import type { OutputStream } from "./output-stream.ts";

/*
 * What is shown is what will run: the whole input, never cut, with every invisible character escaped. A text of several lines
 * is shown line by line behind a bar, so that no line of it can be taken for a field of its own.
 */

/** What the person needs to decide about a call. */
export function renderApproval(request: ApprovalRequest, stream: Pick<OutputStream, "hasColour">): string {
  const mark = (escape: string) => paint(stream, "escape", escape);
  const lines = [
    paint(stream, "title", `The tool "${escapeText(request.tool)}" (${request.risk}) asks to run`),
    `  Does:   ${escapeText(request.description, { mark })}`,
    `  Why:    ${escapeText(request.reason, { mark })}`,
    `  Runs:   ${describePlace(request.backend)}for at most ${request.timeoutMs / 1000} s`,
    ...renderInput(request.input, mark),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function describePlace(backend: string | undefined): string {
  if (backend === undefined) return "";
  return backend === "auto" ? "in the first sandbox that works here, " : `in ${escapeText(backend)}, `;
}

type Mark = (escape: string) => string;

function renderInput(input: unknown, mark: Mark): readonly string[] {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    return renderValue({ label: "  Input", value: input, mark });
  }
  const fields = Object.entries(input);
  if (fields.length === 0) return ["  Input:  none"];
  const rendered = fields.map(([name, value]) =>
    renderValue({ label: `    ${escapeText(name, { mark })}`, value, mark }),
  );
  return ["  Input:", ...rendered.flat()];
}

function renderValue({ label, value, mark }: { label: string; value: unknown; mark: Mark }): readonly string[] {
  if (typeof value !== "string") {
    const json = JSON.stringify(value, undefined, 2) ?? "undefined";
    return bar({ label: `${label}:`, text: json, mark });
  }
  const lineCount = value.split("\n").length;
  return bar({ label: lineCount === 1 ? `${label}:` : `${label} (${lineCount} lines):`, text: value, mark });
}

function bar({ label, text, mark }: { label: string; text: string; mark: Mark }): readonly string[] {
  const indent = /^ */.exec(label)?.[0] ?? "";
  return [label, ...text.split("\n").map((line) => `${indent}  | ${escapeText(line, { mark })}`)];
}
