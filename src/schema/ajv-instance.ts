import type { Ajv, Options } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import draft07 from "ajv/dist/refs/json-schema-draft-07.json" with { type: "json" };
import addFormatsModule from "ajv-formats";
import { canonicalJson } from "./canonical-json.ts";
import { compileLinearRegExp, type LinearRegExp } from "./linear-reg-exp.ts";

/** The drafts that are understood. */
export type SchemaDraft = "2020-12" | "07";

/** An Ajv for schemas as their authors wrote them, and one for the same schemas after `closeObjects`. */
export interface AjvPair {
  readonly strict: Ajv;
  /** Does not check schemas again, and accepts `unevaluatedProperties` beside a `$ref`. */
  readonly lenient: Ajv;
}

/**
 * Makes the Ajvs for one draft. Strict about what is likely a mistake of the schema's author (unknown keywords and formats,
 * `minimum` on a string), lenient about what is only a matter of taste (type unions, open tuples).
 *
 * Two parts are replaced so that no input can make a check slow: patterns run on RE2, in linear time, and
 * `uniqueItems` compares canonical texts instead of every item with every other.
 */
export function createAjvPair(draft: SchemaDraft): AjvPair {
  return {
    strict: createAjv(draft, {}),
    lenient: createAjv(draft, { strictTypes: false, validateSchema: false }),
  };
}

/**
 * Makes an Ajv for schemas that somebody else's server sends, which checks again whatever it is sent. What Ajv does not
 * know there is skipped instead of refused, defaults are left for the server to fill in, and a pattern that RE2 cannot run
 * is not checked here: its author may be an attacker, and no text may hang the engine.
 */
export function createForeignAjv(draft: SchemaDraft): Ajv {
  const regExp = Object.assign(compileOnlyLinear, { code: "compileOnlyLinear" });
  return createAjv(draft, { strict: false, useDefaults: false, code: { regExp } });
}

const ANY_TEXT: LinearRegExp = { test: () => true };

function compileOnlyLinear(pattern: string, flags: string): LinearRegExp {
  const compiled = compileLinearRegExp(pattern, flags);
  return compiled instanceof RegExp ? ANY_TEXT : compiled;
}

function createAjv(draft: SchemaDraft, difference: Options): Ajv {
  const options: Options = {
    strict: true,
    strictTuples: false,
    strictRequired: false,
    allowUnionTypes: true,
    allErrors: true,
    verbose: true,
    useDefaults: true,
    ownProperties: true,
    addUsedSchema: false,
    logger: false,
    code: { regExp: linearRegExp },
    ...difference,
  };
  const ajv = draft === "2020-12" ? new Ajv2020(options) : new Ajv2019(options).addMetaSchema(draft07);
  addFormatsModule.default(ajv);
  replaceUniqueItems(ajv);
  return ajv;
}

/** Ajv writes code that calls it; the name is only used for code that is written to files. */
const linearRegExp = Object.assign(compileLinearRegExp, { code: "compileLinearRegExp" });

function replaceUniqueItems(ajv: Ajv): void {
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    errors: true,
    compile: (isUnique: boolean) => {
      const validate: { (items: readonly unknown[]): boolean; errors?: object[] } = (items) => {
        const repeated = isUnique ? findRepeated(items) : undefined;
        if (repeated !== undefined) validate.errors = [{ keyword: "uniqueItems", params: repeated }];
        return repeated === undefined;
      };
      return validate;
    },
  });
}

function findRepeated(items: readonly unknown[]): { readonly first: number; readonly second: number } | undefined {
  const seen = new Map<string, number>();
  for (const [second, item] of items.entries()) {
    const text = canonicalJson(item);
    const first = seen.get(text);
    if (first !== undefined) return { first, second };
    seen.set(text, second);
  }
  return undefined;
}
