import type { ApprovalQuestion } from "../../contract/gate.ts";
import { approvalFields, notShownWhole } from "../../errors/messages/cli.ts";
import { escapeText } from "./escape-text.ts";
import { paint } from "./output-stream.ts";
import type { OutputStream } from "./output-stream.ts";

/*
 * What is shown is what will run: the whole input, with every invisible character escaped and long runs of spaces counted. A
 * text of several lines is shown line by line behind a bar, so that no line of it can be taken for a field of its own. What is
 * longer than anybody reads is cut, says so, and may then not be approved.
 */

/** A request on the terminal. */
export interface RenderedApproval {
  readonly text: string;
  /** Nothing was cut, so that it may be approved. */
  readonly isWhole: boolean;
}

/** Shows a question to the person who decides about it. */
export function renderApproval(question: ApprovalQuestion, stream: Pick<OutputStream, "hasColour">): RenderedApproval {
  const mark = (escape: string) => paint(stream, "escape", escape);
  const input = renderInput(question.input, mark);
  const shown = cut(input);
  const isWhole = shown.length === input.length;
  const lines = [
    paint(stream, "title", `The tool "${escapeText(question.tool)}" (${question.risk}) asks to run`),
    ...fieldsOf(question).map(([label, value]) => `  ${`${label}:`.padEnd(9)}${show(value, mark)}`),
    ...shown,
    ...(isWhole ? [] : [paint(stream, "escape", notShownWhole(input.length - shown.length))]),
  ];
  return { text: lines.map((line) => `${line}\n`).join(""), isWhole };
}

function fieldsOf({
  description,
  reason,
  backend,
  timeoutMs,
  reach,
}: ApprovalQuestion): readonly (readonly [string, string])[] {
  return [
    ["Does", description],
    ["Why", reason],
    ["Runs", approvalFields.place(backend, timeoutMs)],
    ...(reach?.always === undefined ? [] : [["Always", approvalFields.always(reach.always)] as const]),
  ];
}

type Mark = (escape: string) => string;

function show(text: string, mark: Mark): string {
  return escapeText(text, { mark, countsPadding: true });
}

/** Whole lines from the start, as many as a person may be expected to read. */
function cut(lines: readonly string[]): readonly string[] {
  let characters = 0;
  const end = lines.findIndex((line, index) => {
    characters += line.length;
    return index >= MOST_LINES || characters > MOST_CHARACTERS;
  });
  return end === -1 ? lines : lines.slice(0, end);
}

const MOST_LINES = 2_000;
const MOST_CHARACTERS = 100_000;

function renderInput(input: unknown, mark: Mark): readonly string[] {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    return renderValue({ label: "  Input", value: input, mark });
  }
  const fields = Object.entries(input);
  if (fields.length === 0) return ["  Input:   none"];
  const rendered = fields.map(([name, value]) => renderValue({ label: `    ${show(name, mark)}`, value, mark }));
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
  return [label, ...text.split("\n").map((line) => `${indent}  | ${show(line, mark)}`)];
}
