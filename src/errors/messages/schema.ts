/** What is wrong with a tool's schema, and with an input. */
export const schemaMessages = {
  /** A whole validation message; problems that are not listed are counted in `more`. */
  inputError: (problems: readonly string[], more: number): string => {
    const rest = more > 0 ? [`and ${more} more ${more === 1 ? "problem" : "problems"}`] : [];
    return `(input error: ${[...problems, ...rest].join("; ")})`;
  },

  required: (path: string) => `${path} is required`,
  unknownArgument: (path: string, suggestion: string | undefined) =>
    `${path} is not a known argument${suggestion === undefined ? "" : `, did you mean "${suggestion}"?`}`,
  mustBe: (path: string, expected: string, actual: string) => `${path} must be ${expected}, not ${actual}`,
  mustHave: (path: string, expected: string, actual: string) => `${path} must have ${expected}, not ${actual}`,
  mustMatch: (path: string, pattern: string, actual: string) =>
    `${path} must match the pattern ${pattern}, not ${actual}`,
  repeatedItems: (path: string, first: number, second: number) =>
    `${path} must not hold the same item twice (items ${first} and ${second})`,
  neededBeside: (path: string, other: string) => `${path} is required when ${other} is given`,
  nameNotAllowed: (path: string) => `${path} is not an allowed name`,
  notAllowed: (path: string) => `${path} is not allowed`,
  valueNotAllowed: (path: string, actual: string) => `${path} must not be ${actual}`,
  missingItem: (path: string) => `${path} does not hold an item that its schema asks for`,
  tooManyForms: (path: string) => `${path} fits more than one of the allowed forms and must fit exactly one`,
  noForm: (path: string, forms: readonly string[]) =>
    forms.length === 0
      ? `${path} fits none of the allowed forms`
      : `${path} fits none of the allowed forms: ${forms.join(", or ")}`,
  otherwise: (path: string, reason: string) => `${path} ${reason}`,

  /** What a Standard Schema says of a value, in its own words. */
  refined: (path: string, reason: string) => `${path}: ${reason}`,

  notJson: (path: string, found: string) => `${path} must be JSON, not ${found}`,
  forbiddenKey: (path: string) => `${path} is a key that is not accepted; leave it out`,
  unreadable: (path: string) => `${path} cannot be read`,
  tooDeep: (path: string, limit: number) => `${path} is nested deeper than ${limit} levels, or refers to itself`,
  tooLong: (path: string, limit: number) => `${path} exceeds ${limit} characters in all`,
  tooMany: (path: string, limit: number) => `${path} exceeds ${limit} values in all`,

  coerced: (path: string, type: string) => `${path}: a string was read as ${type}`,
  blankInput: (found: string) => `the input: ${found} was read as an object without arguments`,

  noCanonicalText: "Cannot write the canonical text of a value: it is no JSON; give a JSON value",

  cannotCompile: (problem: string) => `Cannot compile the schema: ${problem}`,
  notAnObject: 'it is no JSON object; give a JSON Schema whose type is "object"',
  notASchema: "it is neither an object nor a boolean; give a JSON Schema",
  rootType: (found: string) => `its "type" is ${found}; a tool's input is an object, so use "object"`,
  unknownDraft: (uri: string) => `"$schema" is ${uri}; use draft 2020-12 or draft-07, or leave it out for 2020-12`,
  noJsonSchema: (vendor: string) =>
    `it is a Standard Schema of "${vendor}" that cannot be written as a JSON Schema; use a version of the library with StandardJSONSchemaV1, or a JSON Schema`,
  unwritable: (problem: string) => `its library cannot write it as a JSON Schema (${problem}); use types that JSON has`,
  asyncStandard:
    "its check is asynchronous; inputs are checked synchronously, so check what takes time in the tool's own code",
  brokenStandard: (problem: string) => `the check of its schema failed (${problem}); correct the tool's definition`,
  cannotCheck: (problem: string) => `Cannot check the input: ${problem}`,
  asyncSchema: '"$async" is set; an input is checked synchronously, so leave it out',
  requiredUnknown: (path: string, name: string) =>
    `"required" of ${path} names "${name}", which is not among its "properties"; add it there or take it out`,
  wrongDefault: (problem: string) =>
    `a "default" is not valid itself: ${problem}; give a default that its own schema accepts`,
} as const;
