/**
 * A tool may return what is natural for it. A string is the output; nothing is `(done)`; any JSON value is its text, and
 * structured as well; an object with a boolean `success` of its own, and a text to go with it, is a whole outcome.
 * Everything else (a function, a cycle, a `Map`) would reach the model as something other than what the tool meant, so
 * it is a failure of the tool itself that says what and where.
 */
import type { ContentBlock, ErrorKind } from "../contract/tool-result.ts";
import type { ToolOutcome } from "../contract/tool.ts";
import { toolMessages } from "../errors/messages/tools.ts";
import { copyJson, type JsonLimits } from "../schema/copy-json.ts";
import { describeJsonProblem } from "../schema/describe-json-problem.ts";
import { showValue } from "../schema/show-value.ts";

/** Turns what a tool returned into an outcome. Never throws. */
export function toOutcome(returned: unknown): ToolOutcome {
  if (returned === undefined) return { success: true, output: toolMessages.done };
  if (typeof returned === "string") return { success: true, output: returned };
  const copy = copyJson(returned, { limits: OUTPUT_LIMITS, useToJson: true });
  if (!copy.ok) return unusable(describeJsonProblem(copy.problem, "the result"));
  const { value } = copy;
  if (isOutcomeLike(value)) return readOutcome(value);
  if (typeof value === "string") return { success: true, output: value };
  return { success: true, output: JSON.stringify(value), structured: value };
}

/** Far beyond what a model can take; longer texts are spilled later, and this only keeps the copy in memory bounded. */
const OUTPUT_LIMITS: JsonLimits = { maxCharacters: 67_108_864, maxValues: 1_000_000, maxDepth: 500 };

type OutcomeLike = { readonly success: boolean } & Readonly<Record<string, unknown>>;

/** A text must go with `success`, so that data which happens to have such a field stays data. */
function isOutcomeLike(value: unknown): value is OutcomeLike {
  if (!isRecord(value) || typeof value["success"] !== "boolean") return false;
  return typeof value["output"] === "string" || (!value["success"] && typeof value["error"] === "string");
}

function readOutcome(value: OutcomeLike): ToolOutcome {
  const problem = findFieldProblem(value);
  if (problem !== undefined) return unusable(problem);
  const output = typeof value["output"] === "string" ? { output: value["output"] } : {};
  const shared = {
    ...(isContent(value["content"]) ? { content: value["content"] } : {}),
    ...(isRecord(value["metadata"]) ? { metadata: value["metadata"] } : {}),
  };
  if (value.success) {
    const structured = value["structured"] === undefined ? {} : { structured: value["structured"] };
    return { success: true, output: "", ...output, ...shared, ...structured };
  }
  return { success: false, ...readFailure(value), ...output, ...shared };
}

type Failure = Pick<Extract<ToolOutcome, { readonly success: false }>, "error" | "errorKind" | "retryAfterMs">;

function readFailure(value: OutcomeLike): Failure {
  const given = value["error"];
  const error = typeof given === "string" && given !== "" ? given : toolMessages.silentFailure;
  const kind = value["errorKind"] ?? "business";
  const retryAfterMs = value["retryAfterMs"];
  const later = isDuration(retryAfterMs) ? { retryAfterMs } : {};
  if (isErrorKind(kind)) return { error, errorKind: kind, ...later };
  return { error: toolMessages.unknownKind(error, showValue(kind)), errorKind: "internal" };
}

function findFieldProblem(value: OutcomeLike): string | undefined {
  if (value["output"] !== undefined && typeof value["output"] !== "string") {
    return toolMessages.badField("output", "a string");
  }
  if (value["metadata"] !== undefined && !isRecord(value["metadata"])) {
    return toolMessages.badField("metadata", "an object");
  }
  if (value["retryAfterMs"] !== undefined && !isDuration(value["retryAfterMs"])) {
    return toolMessages.badField("retryAfterMs", "a number of milliseconds");
  }
  if (value["content"] !== undefined && !isContent(value["content"])) {
    return toolMessages.badField("content", "a list of text, image and resource blocks");
  }
  return undefined;
}

function isDuration(value: unknown): value is number {
  return typeof value === "number" && value >= 0;
}

function isContent(value: unknown): value is readonly ContentBlock[] {
  return Array.isArray(value) && value.every(isContentBlock);
}

function isContentBlock(block: unknown): block is ContentBlock {
  if (!isRecord(block)) return false;
  const isText = (key: string) => typeof block[key] === "string";
  const isTextOrAbsent = (key: string) => block[key] === undefined || isText(key);
  switch (block["type"]) {
    case "text":
      return isText("text");
    case "image":
      return isText("data") && isText("mimeType");
    case "resource":
      return isText("uri") && isTextOrAbsent("mimeType") && isTextOrAbsent("text");
    default:
      return false;
  }
}

const ERROR_KINDS: ReadonlySet<unknown> = new Set<ErrorKind>([
  "validation",
  "business",
  "timeout",
  "dependency",
  "internal",
  "not-found",
  "denied",
  "cancelled",
  "unavailable",
  "conflict",
]);

function isErrorKind(value: unknown): value is ErrorKind {
  return ERROR_KINDS.has(value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function unusable(problem: string): ToolOutcome {
  return { success: false, error: toolMessages.unusableResult(problem), errorKind: "internal" };
}
