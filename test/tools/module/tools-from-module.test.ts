import { execFile } from "node:child_process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { ToolDefinitionError } from "../../../src/errors/tool-definition-error.ts";
import { toolsFromModule } from "../../../src/tools/module/tools-from-module.ts";
import { approveAll } from "../../../src/testing/reviewers.ts";
import { answers } from "../../seeds/seed-engine.ts";
import { CONTEXTS, writeModule } from "./written-module.ts";

const FORECAST = `
import type { ReadContext, WriteContext } from ${JSON.stringify(CONTEXTS)};

/** The weather of one day. */
export interface Weather {
  readonly city: string;
  readonly degrees: number;
}

const DAYS = 3;

/**
 * Says how the weather will be
 * in a city.
 *
 * This paragraph is for developers.
 * @param city - where to look
 * @param days how many days to look ahead
 * @risk read
 * @timeoutMs 15000
 * @idempotent
 * @requiresApproval
 * @returns one text
 */
export async function forecast(city: string, context: ReadContext, days = DAYS, units: "C" | "F" = "C"): Promise<string> {
  return [context.callId, city, days, units, arguments.length].join(" ");
}

/** Writes a note. @risk write */
export const note = async (text: string, context?: WriteContext): Promise<void> => {
  await context?.workspace.writeFile("note.txt", text);
};

/** Gives what it says. @risk read */
const measure = function (city: string, extra?: boolean): Weather {
  return extra === true ? ({ city } as Weather) : { city, degrees: 20 };
};

/** Runs where the sandbox is. */
export function run(): string {
  return "ran";
}

/** Is for the other tools. @internal */
export function helper(anything: any): void {}

/** Is not exported. */
function hidden(anything: any): void {}

export const limit = hidden.length;
export class Settings {}
export { measure as measure_weather };
`;

it("toolsFromModule() makes a tool of each exported function", async () => {
  await using module = await writeModule(FORECAST);
  const tools = await toolsFromModule(module.path);
  const output = {
    type: "object",
    properties: { city: { type: "string" }, degrees: { type: "number" } },
    required: ["city", "degrees"],
  };
  expect(tools).toMatchObject([
    {
      spec: {
        name: "forecast",
        description: "Says how the weather will be in a city.",
        parameters: {
          type: "object",
          properties: {
            city: { type: "string", description: "where to look" },
            days: { type: "number", description: "how many days to look ahead", default: 3 },
            units: { type: "string", enum: ["C", "F"], default: "C" },
          },
          required: ["city"],
          additionalProperties: false,
        },
      },
      risk: "read",
      timeoutMs: 15_000,
      idempotent: true,
      requiresApproval: true,
    },
    { name: "run", risk: "exec" },
    { name: "note", description: "Writes a note.", risk: "write", idempotent: false, requiresApproval: false },
    { name: "measure_weather", risk: "read", output },
  ]);
  expect(tools.map((tool) => "output" in tool)).toEqual([false, false, false, true]);
});

it("toolsFromModule() takes an output schema only of a declared object that JSON carries exactly", async () => {
  const returned: readonly (readonly [type: string, output: object | undefined])[] = [
    [": Shown", { type: "object", properties: { at: { type: "string" } }, required: ["at"] }],
    [
      ": Promise<Shown | { none: true }>",
      {
        anyOf: [
          { type: "object", properties: { at: { type: "string" } }, required: ["at"] },
          { type: "object", properties: { none: { type: "boolean", enum: [true] } }, required: ["none"] },
        ],
      },
    ],
    [
      ": Chain",
      {
        $ref: "#/$defs/Chain",
        $defs: {
          Chain: { type: "object", properties: { next: { $ref: "#/$defs/Chain" } } },
        },
      },
    ],
    ["", undefined],
    [": string", undefined],
    [": Shown | undefined", undefined],
    [": Shown[]", undefined],
    [": { when: Date }", undefined],
    [": Record<string, unknown>", undefined],
    [": ToolOutcome", undefined],
    [": void", undefined],
  ];
  const functions = returned.map(
    ([type], index) => `/** Gives it. */ export function f${index}()${type} { return {} as any; }`,
  );
  const declarations = `import type { ToolOutcome } from ${JSON.stringify(CONTEXTS)};
    interface Shown { at: string }
    interface Chain { next?: Chain }`;
  await using module = await writeModule([declarations, ...functions].join("\n"));
  const tools = await toolsFromModule(module.path);
  expect(tools.map(({ output }) => output)).toEqual(returned.map(([_type, output]) => output));
});

it("toolsFromModule() calls the function with the input in its order, and with the context", async () => {
  await using module = await writeModule(FORECAST);
  const tools = await toolsFromModule(pathToFileURL(module.path));
  const results = await answers(
    { tools, reviewer: approveAll },
    ["forecast", { units: "F", city: "Oslo" }],
    ["note", { text: "rain" }],
    ["measure_weather", { city: "Rome" }],
    ["measure_weather", { city: "Rome", extra: true }],
    ["run"],
    ["forecast", { days: "many" }],
    ["run", { faster: true }],
  );
  expect(results.map((result) => (result.success ? result.output : result.error))).toEqual([
    "1 Oslo 3 F 4",
    "(done)",
    '{"city":"Rome","degrees":20}',
    '"measure_weather" failed: what it returned is not what its output schema says: structured.degrees is required',
    "ran",
    '(input error: city is required; days must be a number, not "many")',
    "(input error: faster is not a known argument)",
  ]);
  expect(results[1]?.changes).toMatchObject([{ path: "note.txt", kind: "added" }]);
});

const MISTAKEN = `import type { ExecContext, WriteContext } from ${JSON.stringify(CONTEXTS)};
interface Endless<T> { readonly inner: Endless<T[]> }
const made = (): ((a: string) => void) => () => undefined;
export function undocumented(): void {}
/** Is the default. */
export default function (): void {}
/** Has parameters that say nothing. */
// @ts-expect-error -- the mistake
export function untyped(first, second: any): void {}
/** Takes what is no JSON. */
export function strange(when: Date, how: () => void, big: bigint, pair: [string, number],
  nested: { readonly list: readonly { readonly at: RegExp }[] }, map: Record<string, symbol>,
  holes: (string | undefined)[], nothing: {}, some: object, bytes: Map<string, string>, id: \`a\${string}\`): void {}
/** Takes its parameters in other ways. */
export function shapes({ a }: { a: string }, [b]: string[], ...rest: string[]): void {}
/** Has two. */
export function overloaded(a: string): void;
export function overloaded(a: number): void;
export function overloaded(a: string | number): void {}
/** Takes anything. */
export function generic<T extends string>(a: T): void {}
/** Gives one by one. */
export function* several(): Generator<string> {}
/** Is made elsewhere. */
export const assigned = made();
/** Has no end. */
export function endless(a: Endless<string>): void {}
/**
 * Has tags that are wrong.
 * @param there nothing
 * @risk reads
 * @timeoutMs 15 s
 * @idempotent yes
 * @requiresApproval
 * @requiresApproval
 */
export function tagged(here: string): void {}
/** Has another context. @risk read */
export function contexts(first: WriteContext, second: ExecContext): void {}
/** Has no name for a model. */
export function $cost(): void {}
/** Is only declared. */
export declare function declared(): void;
`;

it("toolsFromModule() throws with every mistake, each with file and line", async () => {
  await using module = await writeModule(MISTAKEN);
  const json = "which is no JSON; use strings, numbers, booleans, literals, null, arrays, records and objects of them";
  const at = (line: number, name: string, problem: string) => `${module.path}:${line}: "${name}" ${problem}`;
  const strange = (line: number, type: string, place: string) =>
    at(line, "strange", `has the type ${type} for ${place}, ${json}`);
  const problems = [
    at(4, "undocumented", "has no doc comment; write above it what it does"),
    at(6, "default", "is the default export; export it by a name, which is the tool's"),
    at(9, "untyped", 'does not say the type of its parameter "first"; write it down'),
    at(9, "untyped", `has the type any for its parameter "second", ${json}`),
    strange(11, "Date", 'its parameter "when"'),
    strange(11, "() => void", 'its parameter "how"'),
    strange(11, "bigint", 'its parameter "big"'),
    strange(11, "[string, number]", 'its parameter "pair"'),
    strange(12, "RegExp", '"at" of the items of "list" of its parameter "nested"'),
    strange(12, "symbol", 'the values of its parameter "map"'),
    strange(13, "string | undefined", 'the items of its parameter "holes"'),
    strange(13, "{}", 'its parameter "nothing"'),
    strange(13, "object", 'its parameter "some"'),
    strange(13, "Map<string, string>", 'its parameter "bytes"'),
    strange(13, "`a${string}`", 'its parameter "id"'),
    at(15, "shapes", "takes its parameter 1 apart; give it a name"),
    at(15, "shapes", "takes its parameter 2 apart; give it a name"),
    at(15, "shapes", 'takes any number of values as its parameter "rest"; take an array'),
    at(17, "overloaded", "is overloaded; give it one signature"),
    at(21, "generic", "has type parameters; write the types out"),
    at(21, "generic", `has the type T for its parameter "a", ${json}`),
    at(23, "several", "is a generator; return the whole result"),
    at(25, "assigned", "is not written as a function; write it as one, or mark it @internal"),
    at(27, "endless", 'has a type that has no end in "a: Endless<string>"; name the type that repeats itself'),
    at(
      37,
      "tagged",
      'describes "there", which is none of its parameters; describe properties where their type is declared',
    ),
    at(37, "tagged", 'has the risk "reads"; write "@risk read", "@risk write" or "@risk exec"'),
    at(37, "tagged", 'has the timeout "15 s"; write milliseconds such as "@timeoutMs 15000"'),
    at(37, "tagged", 'has "yes" behind @idempotent; the tag stands alone'),
    at(37, "tagged", "has the tag @requiresApproval twice; leave one"),
    at(39, "contexts", "takes the context WriteContext, but its risk is read; change one of them"),
    at(39, "contexts", "takes the context ExecContext, but its risk is read; change one of them"),
    at(
      41,
      "$cost",
      'cannot be a tool: Cannot define a tool: "name" is "$cost"; use 1 to 64 letters, digits, "_" and "-"',
    ),
    at(43, "declared", "is no function of the module that was loaded; declare and export it there"),
  ];
  const error: unknown = await toolsFromModule(module.path).catch((reason: unknown) => reason);
  if (!(error instanceof ToolDefinitionError)) throw new Error("It was no ToolDefinitionError", { cause: error });
  expect(error.message).toBe(
    [`Cannot take tools from "${module.path}": ${problems.length} mistakes`, ...problems].join("\n"),
  );
});

/** Rejection of taking a module, as class and message. */
async function rejectionOf(module: string | URL, options = {}): Promise<readonly [string, string]> {
  const error: unknown = await toolsFromModule(module, options).catch((reason: unknown) => reason);
  if (!(error instanceof Error)) throw new Error("It did not reject");
  return [error.constructor.name, error.message];
}

it("toolsFromModule() rejects when there is no such module", async () => {
  await using module = await writeModule("export const limit = 3; export interface Only { a: string }");
  await using compiled = await writeModule("export function a() {}", "tools.js");
  await using throwing = await writeModule('throw new Error("No key"); export function a() {}');
  const all = [
    new URL(`${pathToFileURL(module.path).href}x.ts`),
    compiled.path,
    module.path,
    throwing.path,
    "no/such.ts",
  ];
  expect(await Promise.all(all.map(async (each) => await rejectionOf(each)))).toEqual([
    [
      "ConfigurationError",
      `Cannot take tools from "${module.path}x.ts": there is no such file; name a TypeScript module`,
    ],
    [
      "ConfigurationError",
      `Cannot take tools from "${compiled.path}": it is not TypeScript; name the .ts or .mts file that has the types`,
    ],
    [
      "ToolDefinitionError",
      `Cannot take tools from "${module.path}": it exports no function; export one with a doc comment`,
    ],
    ["ToolDefinitionError", `Cannot take tools from "${throwing.path}": it cannot be loaded: No key`],
    ["ConfigurationError", 'Cannot take tools from "no/such.ts": there is no such file; name a TypeScript module'],
  ]);
});

it("toolsFromModule() takes the functions from a module that is given", async () => {
  await using module = await writeModule(
    "enum Mode { Fast = 1 }\n/** Runs. @risk read */ export function go(mode: Mode): string { return ''; }",
  );
  const tools = await toolsFromModule(module.path, { module: { go: (mode: number) => `mode ${mode}` } });
  const [result] = await answers({ tools }, ["go", { mode: 1 }]);
  expect(result).toMatchObject({ output: "mode 1" });
  expect(await rejectionOf(module.path, { module: { go: 1 } })).toEqual([
    "ToolDefinitionError",
    `Cannot take tools from "${module.path}": ${module.path}:2: "go" is no function of the module that was loaded; declare and export it there`,
  ]);
});

/** What Node itself says of taking a module; the tests' own loader understands more. */
async function printedByNode(path: string, before = ""): Promise<string> {
  const source = fileURLToPath(new URL("../../../src/tools/module/tools-from-module.ts", import.meta.url));
  const program = `
    ${before}
    const { toolsFromModule } = await import(${JSON.stringify(source)});
    await toolsFromModule(${JSON.stringify(path)}).then(
      (tools) => console.log(tools.map(({ name }) => name).join()),
      (error) => console.log(error.name, error.message),
    );`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
  return stdout.trimEnd();
}

it("toolsFromModule() says what Node cannot run in the module", async () => {
  await using works = await writeModule("/** Goes. */ export function go(a: string): void {}", "tools.mts");
  await using exotic = await writeModule("\nexport enum Mode { Fast }");
  await using broken = await writeModule("export function a(: string) {}");
  expect(await printedByNode(works.path)).toBe("go");
  expect(await printedByNode(exotic.path)).toBe(
    `ToolDefinitionError Cannot take tools from "${exotic.path}": it cannot be loaded, for Node only takes types away: ` +
      `TypeScript enum is not supported in strip-only mode (${exotic.path}:2); write it without, or give the compiled module as "module"`,
  );
  expect(await printedByNode(broken.path)).toMatch(
    /^ToolDefinitionError Cannot take tools from ".*": it cannot be loaded: /,
  );
});

it("toolsFromModule() names the package that is missing", async () => {
  await using module = await writeModule("/** Goes. */ export function go(): void {}");
  const hook = `import { registerHooks } from "node:module";
    registerHooks({ resolve: (name, context, next) => next(name === "ts-morph" ? "not-installed-here" : name, context) });`;
  expect(await printedByNode(module.path, hook)).toBe(
    `ConfigurationError Cannot read the types of "${module.path}": the package "ts-morph" is not installed; run "npm install ts-morph"`,
  );
});
