import { createNoopMeter } from "@opentelemetry/api";
import type { Attributes, Meter, MeterProvider, MetricOptions } from "@opentelemetry/api";
import { describe, expect, it } from "vitest";
import type { ToolResult } from "../../src/contract/tool-result.ts";
import { createDurationMetric } from "../../src/dispatch/duration-metric.ts";
import { defineTool } from "../../src/tools/define-tool.ts";

const look = defineTool({ name: "look", description: "Looks", risk: "read", execute: () => "seen" });
const fields = { callId: "7", tool: "look", output: "", content: [], metadata: {}, changes: [], attempts: 1 };
const seen: ToolResult = { ...fields, durationMs: 1_500, success: true };
const late: ToolResult = { ...fields, durationMs: 30_000, success: false, error: "late", errorKind: "timeout" };

describe("createDurationMetric()", () => {
  it("records seconds by tool, with the kind of a failure", () => {
    const recorder = new RecordingProvider();
    const metric = createDurationMetric(() => recorder);
    metric.record(seen, look);
    metric.record(late, look);
    expect(recorder.instruments).toEqual([
      {
        name: "gen_ai.execute_tool.duration",
        description: "Duration of tool calls",
        unit: "s",
        advice: {
          explicitBucketBoundaries: [
            0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
          ],
        },
      },
    ]);
    expect(recorder.values).toEqual([
      [1.5, { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look" }],
      [30, { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look", "error.type": "timeout" }],
    ]);
  });

  it("makes no series of its own for each name that is no tool", () => {
    const recorder = new RecordingProvider();
    const unknown: ToolResult = { ...late, tool: "made up", errorKind: "not-found" };
    createDurationMetric(() => recorder).record(unknown, undefined);
    expect(recorder.values).toEqual([
      [30, { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "_OTHER", "error.type": "not-found" }],
    ]);
  });

  it("begins to record when an SDK is registered later, and is silent before", () => {
    const recorder = new RecordingProvider();
    let registered: MeterProvider = { getMeter: () => createNoopMeter() };
    const metric = createDurationMetric(() => registered);
    metric.record(seen, look);
    registered = recorder;
    metric.record(late, look);
    expect(recorder.values.map(([value]) => value)).toEqual([30]);
  });
});

/** What an SDK would be given. */
class RecordingProvider implements MeterProvider {
  readonly instruments: object[] = [];
  readonly values: [number, Attributes | undefined][] = [];

  getMeter(): Meter {
    const createHistogram = (name: string, options?: MetricOptions) => {
      this.instruments.push({ name, ...options });
      return { record: (value: number, attributes?: Attributes) => void this.values.push([value, attributes]) };
    };
    return Object.assign(createNoopMeter(), { createHistogram });
  }
}
