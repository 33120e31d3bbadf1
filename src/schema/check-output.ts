import type { ErrorObject, ValidateFunction } from "ajv";
import { describeErrors } from "./describe-errors.ts";
import { buildErrorTree } from "./error-tree.ts";

/** Says what is wrong with a structured output, in one phrase; `undefined` when nothing is. */
export type OutputCheck = (value: unknown) => string | undefined;

const MAX_PROBLEMS = 5;

/** Makes the check of one compiled schema. An output is taken as it is: nothing is coerced, and unknown keys may be there. */
export function createOutputCheck(validate: ValidateFunction): OutputCheck {
  return (value) => {
    if (validate(value)) return undefined;
    const errors = (validate.errors ?? []).map(underStructured);
    // The compiled function would keep the errors, and with them the output, until its next run.
    validate.errors = null;
    return describeErrors(buildErrorTree(errors)).slice(0, MAX_PROBLEMS).join("; ");
  };
}

/** Paths are told from the result's field on, since "the input" would name the wrong thing. */
function underStructured(error: ErrorObject): ErrorObject {
  return { ...error, instancePath: `/structured${error.instancePath}` };
}
