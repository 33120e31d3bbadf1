import { trace } from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { afterAll, beforeAll, expect, it } from "vitest";
import { defineTool } from "../../src/tools/define-tool.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";

const exporter = new InMemorySpanExporter();

beforeAll(() => {
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
});

afterAll(() => trace.disable());

it("the span of a nested call is a child of its parent's, a denied one's too, and those of the model's calls are roots", async () => {
  const leaf = defineTool({ name: "leaf", description: "Leaf", risk: "read", execute: () => "leaf" });
  const branch = defineTool({
    name: "branch",
    description: "Branch",
    risk: "read",
    execute: async (_input, { dispatch }) => {
      await dispatch({ name: "leaf" });
      await dispatch({ name: "nothing" });
    },
  });
  await using temporary = await temporaryEngine({ tools: [leaf, branch] });
  await temporary.engine.dispatchAll(["branch", "leaf"].map((name, index) => ({ id: `${index}`, name, input: {} })));
  const spans = exporter.getFinishedSpans();
  const idOf = new Map(spans.map((span) => [span.attributes["gen_ai.tool.call.id"], span.spanContext().spanId]));
  const parents = spans.map(({ attributes, parentSpanContext }) => [
    attributes["gen_ai.tool.call.id"],
    parentSpanContext?.spanId,
  ]);
  expect(new Map(parents as [string, string | undefined][])).toEqual(
    new Map([
      ["0/1", idOf.get("0")],
      ["0/2", idOf.get("0")],
      ["0", undefined],
      ["1", undefined],
    ]),
  );
});
