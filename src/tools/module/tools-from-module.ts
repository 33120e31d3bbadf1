/**
 * Makes tools of plain functions. Their types are what they are: a model's input is checked against what TypeScript says,
 * and nothing has to be written twice. What has no place in a tool is a mistake and not left out, for a parameter that
 * is quietly missing or a schema that is quietly wide would show only when a model calls the tool.
 */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Tool } from "../../contract/tool.ts";
import { ConfigurationError } from "../../errors/configuration-error.ts";
import { moduleMessages } from "../../errors/messages/module.ts";
import { ToolDefinitionError } from "../../errors/tool-definition-error.ts";
import { defineTool } from "../define-tool.ts";
import { importModule } from "./import-module.ts";
import { loadCompiler } from "./load-compiler.ts";
import { Mistakes } from "./mistakes.ts";
import { readModule } from "./read-module.ts";
import type { ExportedFunction } from "./read-module.ts";
import { showPath } from "./show-path.ts";

/** How a module of functions is taken. */
export interface ModuleOptions {
  /**
   * The module itself, such as `await import("./tools.js")`: for code that Node cannot run as it is written, or that a
   * bundler has moved. The types are read from the path all the same.
   * @default what importing the path gives
   */
  readonly module?: object;
}

/**
 * The functions that a TypeScript module exports, as tools. A function's name is the tool's, the first paragraph of its doc
 * comment the description, its parameters are the input, with the texts of `@param` and constant defaults; a parameter
 * whose type is one of the contexts gets that and is hidden from the model. `@risk read|write|exec` says the risk (exec
 * otherwise), `@timeoutMs`, `@idempotent` and `@requiresApproval` are the options of those names, and `@internal` leaves a
 * function out. An object that it declares to return is the output's schema. Needs the package `ts-morph`.
 * @throws ConfigurationError when there is no such module, or `ts-morph` is not installed.
 * @throws ToolDefinitionError when the module cannot be loaded, and with every mistake in its functions, each with file
 * and line.
 * @example
 * ```ts
 * // tools.ts: export an ordinary function
 * const tools = await toolsFromModule(new URL("tools.ts", import.meta.url));
 * ```
 */
export async function toolsFromModule(module: string | URL, options: ModuleOptions = {}): Promise<readonly Tool[]> {
  const path = resolve(module instanceof URL ? fileURLToPath(module) : module);
  const shown = showPath(path);
  await assertIsModule(path, shown);
  const compiler = await loadCompiler(shown);
  const loaded = options.module ?? (await importModule(path, shown));
  const mistakes = new Mistakes();
  const functions = readModule(path, compiler, mistakes);
  const tools = functions.filter(({ name }) => !mistakes.has(name)).flatMap((each) => toTool(each, loaded));
  const problems =
    functions.length === 0 && mistakes.problems.length === 0 ? [moduleMessages.noFunctions] : mistakes.problems;
  if (problems.length > 0) throw new ToolDefinitionError(moduleMessages.cannotTake(shown, problems));
  return tools;
}

async function assertIsModule(path: string, shown: string): Promise<void> {
  if (!/\.m?ts$/.test(path))
    throw new ConfigurationError(moduleMessages.cannotTake(shown, [moduleMessages.notTypeScript]));
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true)
    throw new ConfigurationError(moduleMessages.cannotTake(shown, [moduleMessages.noSuchFile]));
}

/** The tool, or nothing when that is another mistake. */
function toTool(read: ExportedFunction, loaded: object): readonly Tool[] {
  const { name, description, options, parameters, output, report } = read;
  const called: unknown = Reflect.get(loaded, name);
  if (typeof called !== "function") {
    report(moduleMessages.notExported);
    return [];
  }
  const { list, schema } = parameters;
  try {
    return [
      defineTool({
        name,
        description,
        ...options,
        parameters: schema,
        ...(output === undefined ? {} : { output }),
        execute: (input, context): unknown =>
          called(...list.map((each) => (each.from === "context" ? context : input[each.name]))),
      }),
    ];
  } catch (error) {
    if (!(error instanceof ToolDefinitionError)) throw error;
    report(moduleMessages.definition(error.message));
    return [];
  }
}
