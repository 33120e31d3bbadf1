import type { ErrorObject, ValidateFunction } from "ajv";
import { schemaMessages } from "../errors/messages/schema.ts";
import { coerceInput, type InputHolder } from "./coerce-input.ts";
import { copyJson } from "./copy-json.ts";
import { describeErrors } from "./describe-errors.ts";
import { describeJsonProblem } from "./describe-json-problem.ts";
import { buildErrorTree } from "./error-tree.ts";

/** What a check found. */
export type InputCheck =
  | {
      readonly valid: true;
      /** A copy of the input with defaults filled in; the caller's object is never changed. */
      readonly value: unknown;
      /** What was read otherwise than it was written. */
      readonly coercions: readonly string[];
    }
  | {
      readonly valid: false;
      /** `(input error: <dotted path> <what is wrong>; …)` */
      readonly message: string;
      /** The same, one by one. */
      readonly problems: readonly string[];
      /** The tool's own check failed; the model can do nothing about it. @default false */
      readonly isToolAtFault?: boolean;
    };

/** More than any model writes in one call, and little enough to be checked in well under a second. */
export const INPUT_LIMITS = { maxCharacters: 8_388_608, maxValues: 50_000, maxDepth: 100 } as const;

const MAX_PROBLEMS = 10;
/** Each round may find stringified values inside of what the last one read. */
const MAX_COERCION_ROUNDS = 4;

/** Makes the check of one compiled schema. */
export function createInputCheck(validate: ValidateFunction): (input: unknown) => InputCheck {
  return (input) => {
    const coercions: string[] = [];
    if (isBlank(input)) coercions.push(schemaMessages.blankInput(nameBlank(input)));
    const copy = copyJson(isBlank(input) ? {} : input, { limits: INPUT_LIMITS });
    if (!copy.ok) return invalid([describeJsonProblem(copy.problem, "the input")], 0);
    const held: InputHolder = { value: copy.value };
    let tree = findErrors(validate, held);
    for (let round = 0; tree.length > 0 && round < MAX_COERCION_ROUNDS; round += 1) {
      const read = coerceInput(held, tree, INPUT_LIMITS);
      if (read.length === 0) break;
      coercions.push(...read);
      tree = findErrors(validate, held);
    }
    return tree.length === 0
      ? { valid: true, value: held.value, coercions }
      : invalid(describeErrors(tree.slice(0, MAX_PROBLEMS)), tree.length - MAX_PROBLEMS);
  };
}

function findErrors(validate: ValidateFunction, held: InputHolder) {
  if (validate(held.value)) return [];
  const errors: readonly ErrorObject[] = validate.errors ?? [];
  // The compiled function would keep the errors, and with them the input, until its next run.
  validate.errors = null;
  return buildErrorTree(errors);
}

/** What models send as the input of a tool that needs none. */
function isBlank(input: unknown): input is null | undefined | string {
  return input === undefined || input === null || (typeof input === "string" && input.trim() === "");
}

function nameBlank(input: null | undefined | string): string {
  return typeof input === "string" ? "an empty string" : String(input);
}

function invalid(problems: readonly string[], more: number): InputCheck {
  return { valid: false, message: schemaMessages.inputError(problems, more), problems };
}
