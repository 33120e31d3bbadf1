import { describe, expect, expectTypeOf, it } from "vitest";
import type { ReadContext } from "../../src/contract/tool.ts";
import type { InferInput } from "../../src/contract/standard-schema.ts";
import { ToolDefinitionError } from "../../src/errors/tool-definition-error.ts";
import { BaseTool } from "../../src/tools/base-tool.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";

const CITY = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;

class Weather extends BaseTool<typeof CITY, "read"> {
  readonly name = "weather";
  readonly description = "Says how the weather is";
  override readonly risk = "read";
  override readonly parameters = CITY;
  override readonly timeoutMs = 15_000;
  readonly #sky: string;
  readonly unit = "C";

  constructor(sky: string) {
    super();
    this.#sky = sky;
  }

  describe({ city }: InferInput<typeof CITY>) {
    return `look up ${city}, ${this.#sky}`;
  }

  execute({ city }: InferInput<typeof CITY>, context: ReadContext) {
    expectTypeOf(city).toEqualTypeOf<string>();
    return `${this.#sky} in ${city}, attempt ${context.attempt}`;
  }
}

class Least extends BaseTool {
  readonly name = "least";
  readonly description = "Does nothing";
  execute() {
    return undefined;
  }
}

describe("BaseTool", () => {
  it("is the tool that defineTool makes of the same options", () => {
    const least = defineTool({ name: "least", description: "Does nothing", execute: () => undefined });
    const functions = { copy: expect.any(Function), execute: expect.any(Function) };
    expect(new Least().toTool()).toEqual({ ...least, ...functions });
    expect(new Weather("Sunny").toTool()).toMatchObject({ risk: "read", parallel: true, timeoutMs: 15_000 });
  });

  it("shows what the model sees, and nothing of its own fields", () => {
    const { name, description, parameters, spec } = new Weather("Sunny");
    expect(spec).toEqual({ name, description, parameters });
  });

  it("runs as a method of the instance wherever tools are taken", async () => {
    await using temporary = await temporaryEngine({ tools: [new Weather("Sunny")] });
    const result = await temporary.engine.dispatch({ id: "1", name: "weather", input: { city: "Rome" } });
    expect(result.output).toBe("Sunny in Rome, attempt 1");
    expect(new Weather("Sunny").toTool().describe?.({ city: "Rome" } as never)).toBe("look up Rome, Sunny");
  });

  it("is read once, so that changing an instance changes nothing", () => {
    const weather = new Weather("Sunny");
    const tool = weather.toTool();
    Object.assign(weather, { risk: "exec" });
    expect(weather.toTool()).toBe(tool);
    expect(tool.risk).toBe("read");
  });

  it("copies with changes", () => {
    expect(new Weather("Sunny").copy({ name: "sky" }).spec.name).toBe("sky");
  });

  it("throws when first used, naming what is wrong in the class", () => {
    class Wrong extends Least {
      override readonly timeoutMs = -1;
    }
    const message = 'Cannot define tool "least": "timeoutMs" is -1; use a whole number from 1 to 600000';
    expect(() => new Wrong().spec).toThrow(new ToolDefinitionError(message));
  });
});

describe("Tool.copy()", () => {
  const tool = defineTool({
    name: "greet",
    description: "Greets",
    risk: "read",
    timeoutMs: 7,
    parameters: CITY,
    describe: ({ city }) => `greet ${city}`,
    execute: ({ city }) => `Hello ${city}`,
  });

  it("gives a tool that differs in what was changed, and leaves the first as it was", () => {
    const copy = tool.copy({ name: "welcome", tier: "advanced", requiresApproval: true });
    const functions = { copy: expect.any(Function), describe: expect.any(Function), execute: expect.any(Function) };
    const spec = { ...tool.spec, name: "welcome" };
    expect(copy).toEqual({ ...tool, name: "welcome", tier: "advanced", requiresApproval: true, spec, ...functions });
    expect(copy.execute({ city: "Rome" } as never, undefined as never)).toBe("Hello Rome");
    expect(tool.name).toBe("greet");
    expect(copy.copy({ name: "third" })).toMatchObject({ name: "third", tier: "advanced", timeoutMs: 7 });
  });

  it("checks the changes as a definition", () => {
    const message = 'Cannot define tool "greet": "maxRetries" is 11; use a whole number from 0 to 10';
    expect(() => tool.copy({ maxRetries: 11 })).toThrow(new ToolDefinitionError(message));
  });

  it.each(["risk", "parameters", "output", "execute", "describe", "sandbox"])("refuses to change %j", (field) => {
    const message = `Cannot copy tool "greet": "${field}" is not what a copy may change; change name, description, timeoutMs, maxRetries, idempotent, parallel, capabilities, tier, requiresApproval, or define another tool`;
    expect(() => tool.copy({ [field]: "read" })).toThrow(new ToolDefinitionError(message));
  });
});
