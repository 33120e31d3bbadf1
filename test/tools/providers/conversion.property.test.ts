import { Ajv2020 } from "ajv/dist/2020.js";
import { assert, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { providerMessages } from "../../../src/errors/messages/providers.ts";
import { canonicalJson } from "../../../src/schema/canonical-json.ts";
import { compileSchema } from "../../../src/schema/compile-schema.ts";
import { openAiParameters } from "../../../src/tools/providers/convert-parameters.ts";
import { lintTools } from "../../../src/tools/providers/lint-tools.ts";
import { fromStrictInput, strictSchemaOf } from "../../../src/tools/providers/strict-input.ts";
import { toAnthropicTools } from "../../../src/tools/providers/to-anthropic-tools.ts";
import { toGeminiTools } from "../../../src/tools/providers/to-gemini-tools.ts";
import { toMcpTools } from "../../../src/tools/providers/to-mcp-tools.ts";
import { fromGeminiSchema } from "./gemini-judge.ts";
import { toolWith } from "./make-tool.ts";
import { samples } from "./schema-arbitrary.ts";
import { fillNulls } from "./strict-judge.ts";

const RUNS = { numRuns: 100 };
const ajv = new Ajv2020({ strict: false, logger: false, addUsedSchema: false });

/** Coercion apart, which reads texts that no provider's schema lets through. */
function isValid(schema: Parameters<typeof compileSchema>[0], input: unknown): boolean {
  const check = compileSchema(schema).check(input);
  return check.valid && check.coercions.length === 0;
}

function judge(schema: object): (input: unknown) => boolean {
  const validate = ajv.compile(schema);
  return (input) => validate(input);
}

describe("every conversion of a random schema", () => {
  it("toMcpTools() accepts exactly the inputs that the pipeline accepts", () => {
    assert(
      property(samples, ({ schema, input }) => {
        const tool = toolWith(schema);
        return judge(toMcpTools([tool])[0]!.inputSchema)(input) === isValid(tool.parameters, input);
      }),
      RUNS,
    );
  });

  it("toAnthropicTools() accepts every valid input, and no other unless the lint says so", () => {
    assert(
      property(samples, ({ schema, input }) => {
        const tool = toolWith(schema);
        const accepts = judge(toAnthropicTools([tool])[0]!.input_schema)(input);
        if (isValid(tool.parameters, input)) return accepts;
        return !accepts || lintTools([tool], "anthropic").some(({ lossy }) => lossy);
      }),
      RUNS,
    );
  });

  it("fromStrictInput() gives back every valid input, and what strict mode accepts is valid, unless the lint says otherwise", () => {
    let strictRuns = 0;
    assert(
      property(samples, ({ schema, input }) => {
        const tool = toolWith(schema);
        const strict = strictSchemaOf(tool);
        if (!strict.fits) return true;
        strictRuns += 1;
        const accepts = judge(openAiParameters(tool, true).schema);
        const sent = fillNulls(input, strict.schema);
        const lost = lintTools([tool], "openai", { strict: true }).filter(({ lossy }) => lossy);
        const isAmbiguous = lost.some(({ problem }) => problem.includes(providerMessages.nullMeansBoth));
        const meant = fromStrictInput(tool, sent);
        if (isValid(tool.parameters, input))
          return accepts(sent) && (isAmbiguous || canonicalJson(meant) === canonicalJson(input));
        return !accepts(sent) || lost.length > 0 || isValid(tool.parameters, meant);
      }),
      RUNS,
    );
    expect(strictRuns).toBeGreaterThan(20);
  });

  it("toGeminiTools() accepts every valid input, and no other but unknown keys unless the lint says so", () => {
    assert(
      property(samples, ({ schema, input }) => {
        const tool = toolWith(schema);
        const { parameters } = toGeminiTools([tool])[0]!.functionDeclarations[0]!;
        if (parameters === undefined) return true;
        const lost = lintTools([tool], "gemini").filter(({ lossy }) => lossy);
        if (lost.some(({ problem }) => problem.includes(providerMessages.noFreeObject))) return true;
        const accepts = judge(fromGeminiSchema(parameters))(input);
        if (isValid(tool.parameters, input)) return accepts;
        return !accepts || lost.length > 0;
      }),
      RUNS,
    );
  });
});
