/** What a provider cannot say of a tool, and the texts that a model reads instead. */
export const providerMessages = {
  nameTaken: (name: string, other: string, as: string) =>
    `Cannot name the tools for a provider: ${JSON.stringify(other)} and ${JSON.stringify(name)} both become "${as}"; rename one of them or leave it out`,
  nameTwice: (name: string) =>
    `Cannot name the tools for a provider: two tools have the name ${JSON.stringify(name)}; rename one of them or leave it out`,

  /** Put in front of what is wrong, when it is wrong inside of the input. */
  at: (path: string, problem: string) => `${path}: ${problem}`,
  unsupported: (keyword: string) => `"${keyword}" cannot be said; the description says it`,
  rewritten: (keyword: string, as: string) => `"${keyword}" is written as ${as}`,
  notFollowed: "a reference that leads back to itself cannot be followed any further; what it leads to is not checked",
  exactlyOne: '"oneOf" cannot be said; "anyOf" accepts a value that fits more than one form',
  nullMeansBoth: "null and leaving it out cannot be told apart; null is sent on as null",
  anyValue: "any value cannot be said; texts, numbers, booleans and null are accepted",
  freeObject: "an object with keys of any name cannot be said; its JSON text is asked for",
  noFreeObject: "an object with keys of any name cannot be said beside a text; it is left out",
  moreKeys: "keys that are not listed cannot be said; the description says it",
  tuple: "a list with a schema for each item cannot be said; the items may be of any of them in any order",
  topLevel: (keyword: string) =>
    `"${keyword}" at the top is refused; its properties are merged and the description says the rest`,
  noEmptyChoice: 'an empty text in "enum" is refused; the description says the choice',
  choiceOfNumbers: '"enum" takes texts only; the description says the choice',
  keyRefused: (key: string) =>
    `the key ${JSON.stringify(key)} is refused; use 1 to 64 letters, digits, "_", "." and "-"`,
  name: (name: string, as: string) => `the name ${JSON.stringify(name)} is refused; it is sent as "${as}"`,
  tooManyTools: (limit: number) => `more than ${limit} tools are refused in one request; leave some out`,
  outputRoot: "an output that is no object cannot be announced; it is left out",
  notStrict: (reason: string) => `strict mode cannot be used, so "strict" is false: ${reason}`,

  strictAny: "it accepts any value",
  strictNothing: "it accepts no value",
  strictKeys: "it accepts keys that are not listed",
  strictTuple: "it is a list with a schema for each item",
  strictValues: '"enum" lists objects or arrays',
  strictReference: "it refers to itself",
  strictDepth: (limit: number) => `it is nested deeper than ${limit} levels`,
  strictProperties: (limit: number) => `it has more than ${limit} properties`,
  strictChoices: (limit: number) => `it lists more than ${limit} values`,
  strictCharacters: (limit: number) => `its names and values exceed ${limit} characters`,

  /** In descriptions, for the model. */
  alsoSchema: (schema: string) => `It must also fit this JSON Schema: ${schema}`,
  alsoMore: "More is checked than can be said here",
  nullIsDefault: (value: string) => `null stands for the default, ${value}`,
  isDefault: (value: string) => `The default is ${value}`,
  jsonText: "Give the JSON text of it",

  /** In results, for the model. */
  error: (error: string) => `Error: ${error}`,
  imageNotShown: (mimeType: string) => `[an image of type ${mimeType}, which cannot be shown]`,
  imagesOf: (tool: string) => `Images from ${tool}:`,
  imageBelow: (count: number) => (count === 1 ? "[an image, shown below]" : `[${count} images, shown below]`),
  noOutput: "(no output)",
  resource: (uri: string) => `[resource ${uri}]`,
} as const;
