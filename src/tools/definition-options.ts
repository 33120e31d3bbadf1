import { optionNames } from "./check-definition.ts";

/**
 * The options of a definition as a plain object, whether they are fields, getters or methods of a class. Functions are
 * bound, so that they still find the definition under `this`; what is no option is left out.
 */
export function definitionOptions(definition: object): Readonly<Record<string, unknown>> {
  const options: Record<string, unknown> = {};
  for (const name of optionNames()) {
    const value: unknown = Reflect.get(definition, name);
    if (value === undefined) continue;
    // Some libraries make functions of schemas; those are values.
    options[name] = typeof value === "function" && !SCHEMAS.has(name) ? value.bind(definition) : value;
  }
  return options;
}

const SCHEMAS: ReadonlySet<string> = new Set(["parameters", "output"]);
