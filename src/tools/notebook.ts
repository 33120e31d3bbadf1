/**
 * A Jupyter notebook is JSON in which a line of code is a string in a list, and an image is a megabyte of base64. A model
 * is shown the cells instead: what was written, and what came of it as far as it is text. A file that says it is a
 * notebook and is not read as one (another format version, broken JSON) is shown as the text that it is.
 */
import { stripVTControlCharacters } from "node:util";

/** A notebook as lines of text, and how many cells it has. */
export interface NotebookText {
  readonly lines: readonly string[];
  readonly cells: number;
}

/** Reads a notebook of format 4, which is every one since 2015. */
export function readNotebook(json: string): NotebookText | undefined {
  const notebook = parseObject(json);
  if (notebook?.["nbformat"] !== 4 || !Array.isArray(notebook["cells"])) return undefined;
  const cells = notebook["cells"].map((cell: unknown) => toRecord(cell));
  return { lines: cells.flatMap((cell, index) => cellLines(cell, index + 1)), cells: cells.length };
}

type JsonRecord = Readonly<Record<string, unknown>>;

function parseObject(json: string): JsonRecord | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : undefined;
  } catch {
    // Not JSON, so not a notebook; the caller shows the text.
    return undefined;
  }
}

function cellLines(cell: JsonRecord, number: number): readonly string[] {
  const type = typeof cell["cell_type"] === "string" ? cell["cell_type"] : "unknown";
  const outputs = Array.isArray(cell["outputs"]) ? cell["outputs"].map((output: unknown) => toRecord(output)) : [];
  return [
    `[cell ${number}: ${type}]`,
    ...toLines(joinText(cell["source"])),
    ...outputs.flatMap((output) => outputLines(output, number)),
  ];
}

function outputLines(output: JsonRecord, cell: number): readonly string[] {
  if (output["output_type"] === "stream") {
    const name = output["name"] === "stderr" ? "stderr" : "stdout";
    return [`[cell ${cell}, ${name}]`, ...toLines(joinText(output["text"]))];
  }
  if (output["output_type"] === "error") {
    const trace = Array.isArray(output["traceback"]) ? output["traceback"].join("\n") : "";
    return [`[cell ${cell}, error]`, ...toLines(trace === "" ? joinText(output["evalue"]) : trace)];
  }
  const data = toRecord(output["data"]);
  const others = Object.keys(data).filter((type) => type !== "text/plain");
  const heading =
    others.length === 0 ? `[cell ${cell}, output]` : `[cell ${cell}, output; also as ${others.join(", ")}]`;
  return [heading, ...toLines(joinText(data["text/plain"]))];
}

/** Text in a notebook is a string, or a list of strings that end in their own line breaks. */
function joinText(text: unknown): string {
  if (typeof text === "string") return text;
  return Array.isArray(text) ? text.filter((part) => typeof part === "string").join("") : "";
}

function toLines(text: string): readonly string[] {
  const lines = stripVTControlCharacters(text).split(/\r?\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function toRecord(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
