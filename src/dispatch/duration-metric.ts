import type { Attributes, Histogram, MeterProvider } from "@opentelemetry/api";
import type { ToolResult } from "../contract/tool-result.ts";
import type { Tool } from "../contract/tool.ts";

/** Measures how long calls take. */
export interface DurationMetric {
  /** Counts an ended call; `tool` is the one that its name stands for. */
  record(result: ToolResult, tool: Tool | undefined): void;
}

/**
 * Step 10, the metric: the histogram `gen_ai.execute_tool.duration` of OpenTelemetry's semantic conventions for
 * generative AI (https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/execute-tool.md).
 *
 * The provider is asked for at each call: unlike a tracer, a meter that was taken before an SDK was registered stays
 * silent for ever.
 */
export function createDurationMetric(meterProvider: () => MeterProvider): DurationMetric {
  let source: MeterProvider | undefined;
  let histogram: Histogram | undefined;
  return {
    record: (result, tool) => {
      const provider = meterProvider();
      if (histogram === undefined || provider !== source) histogram = createHistogram(provider);
      source = provider;
      histogram.record(result.durationMs / 1000, attributesOf(result, tool));
    },
  };
}

function createHistogram(provider: MeterProvider): Histogram {
  return provider.getMeter("cofferdam").createHistogram("gen_ai.execute_tool.duration", {
    description: "Duration of tool calls",
    unit: "s",
    advice: { explicitBucketBoundaries: [...BUCKETS_S] },
  });
}

/** The buckets that the conventions ask for in durations of operations. */
const BUCKETS_S = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92] as const;

/** A name that is no tool is the model's invention, and every new value would be a new time series. */
const UNKNOWN_TOOL = "_OTHER";

function attributesOf(result: ToolResult, tool: Tool | undefined): Attributes {
  return {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": tool?.name ?? UNKNOWN_TOOL,
    ...(result.success ? {} : { "error.type": result.errorKind }),
  };
}
