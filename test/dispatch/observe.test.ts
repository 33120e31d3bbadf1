import { SpanStatusCode } from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { describe, expect, it } from "vitest";
import { endSpan, recordOf, startSpan } from "../../src/dispatch/observe.ts";
import type { PreparedCall } from "../../src/dispatch/call-state.ts";
import type { Tool } from "../../src/contract/tool.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import type { ToolResult } from "../../src/contract/tool-result.ts";
import { defineTool } from "../../src/tools/define-tool.ts";

const call = { id: "7", name: "look", input: { secret: "x" } };
const look = defineTool({ name: "look", description: "Looks", risk: "read", execute: () => "seen" });

describe("startSpan() and endSpan()", () => {
  it("describe a call by the semantic conventions, without its input or output", () => {
    const { tracer, spans } = tracing();
    endSpan(startSpan(tracer, prepared(look), undefined), result({ success: true }));
    expect(spans()).toEqual([
      {
        name: "execute_tool look",
        attributes: {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": "look",
          "gen_ai.tool.call.id": "7",
          "gen_ai.tool.type": "function",
          "gen_ai.tool.description": "Looks",
          "cofferdam.tool.risk": "read",
          "cofferdam.attempts": 1,
        },
        status: { code: SpanStatusCode.UNSET },
      },
    ]);
  });

  it("mask secrets in the message of a failure", () => {
    const { tracer, spans } = tracing();
    const error = "login --token hunter2 failed";
    endSpan(startSpan(tracer, prepared(look), undefined), result({ success: false, error, errorKind: "business" }));
    expect(spans()).toMatchObject([{ status: { message: "login --token [masked] failed" } }]);
  });

  it("give a failure its kind and an error status", () => {
    const { tracer, spans } = tracing();
    endSpan(
      startSpan(tracer, prepared(), undefined),
      result({ success: false, error: "gone", errorKind: "not-found" }),
    );
    expect(spans()).toMatchObject([
      { attributes: { "error.type": "not-found" }, status: { code: SpanStatusCode.ERROR, message: "gone" } },
    ]);
  });
});

describe("recordOf()", () => {
  it("says of a refused call why, and nothing that it does not know", () => {
    const refused = { state: "refused", call, errorKind: "not-found", error: "gone" } as const;
    const failed = result({ success: false, error: "gone", errorKind: "not-found" });
    expect(recordOf(refused, { result: failed, startedAtMs: 1 })).toEqual({
      callId: "7",
      tool: "look",
      startedAtMs: 1,
      durationMs: 3,
      attempts: 1,
      outcome: "not-found",
      input: { secret: "x" },
      error: "gone",
    });
  });

  it("says of a denied call who denied it and why", () => {
    const denial = { reason: "the reviewer denied it", decidedBy: "reviewer" } as const;
    const refused = { state: "refused", call, errorKind: "denied", error: "no", denial } as const;
    const failed = result({ success: false, error: "no", errorKind: "denied" });
    expect(recordOf(refused, { result: failed, denial: refused.denial, startedAtMs: 1 })).toMatchObject({
      outcome: "denied",
      error: "no",
      verdict: "the reviewer denied it",
      decidedBy: "reviewer",
    });
  });
});

/** A call as it is before its turn, of a name that may be no tool. */
function prepared(tool?: Tool): PreparedCall {
  const refused = { state: "refused", call, errorKind: "not-found", error: "gone" } as const;
  if (tool === undefined) return refused;
  const registered = createRegistry([tool]).find(tool.name);
  return registered === undefined ? refused : { ...refused, registered };
}

function tracing() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const spans = () => exporter.getFinishedSpans().map(({ name, attributes, status }) => ({ name, attributes, status }));
  return { tracer: provider.getTracer("test"), spans };
}

type Ending =
  { readonly success: true } | Pick<Extract<ToolResult, { success: false }>, "success" | "error" | "errorKind">;

function result(ending: Ending): ToolResult {
  const fields = { callId: "7", tool: "look", output: "", content: [], metadata: {}, changes: [] };
  return { ...fields, attempts: 1, durationMs: 3, ...ending };
}
