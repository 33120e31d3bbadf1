/** What is wrong with a tool's definition, with a set of tools, and with what a tool returned. */
export const toolMessages = {
  /** A field of a definition; `name` is the tool's, when it has a usable one. */
  cannotDefine: (name: string | undefined, problem: string) =>
    name === undefined ? `Cannot define a tool: ${problem}` : `Cannot define tool "${name}": ${problem}`,
  field: (field: string, state: string, remedy: string) => `"${field}" is ${state}; ${remedy}`,
  notAnObject: (found: string) => `the definition is ${found}; give an object with "name", "description" and "execute"`,
  unknownOption: (field: string, suggestion: string | undefined, known: readonly string[]) =>
    suggestion === undefined
      ? `"${field}" is no option; the options are ${known.join(", ")}`
      : `"${field}" is no option; did you mean "${suggestion}"?`,
  schema: (field: string, problem: string) => `"${field}" is no schema that can be used: ${problem}`,

  cannotCopy: (name: string, problem: string) => `Cannot copy tool "${name}": ${problem}`,
  unchangeable: (field: string, changeable: readonly string[]) =>
    `"${field}" is not what a copy may change; change ${changeable.join(", ")}, or define another tool`,

  useName: 'use 1 to 64 letters, digits, "_" and "-"',
  useText: "use a text that says what the tool does",
  useOneOf: (words: readonly string[]) => `use ${words.map((word) => `"${word}"`).join(", ")}`,
  useInteger: (least: number, most: number) => `use a whole number from ${least} to ${most}`,
  useBoolean: "use true or false",
  readsOnly: "use false, since a read tool changes nothing",
  useTags: "use a list of texts that are not empty",
  useFunction: "use a function",

  cannotRegister: (name: string, problem: string) => `Cannot register tool "${name}": ${problem}`,
  twice: (first: string, second: string) =>
    `two tools have this name (${first}, and ${second}); rename one of them or leave it out`,
  oneTool: (risk: string, description: string) => `the ${risk} tool that says "${description}"`,
  ofField: (field: string) => `one in "${field}"`,
  ofSource: (tool: string, source: string) => `${tool} in ${source}`,
  ofGroup: (group: string) => `the group "${group}"`,
  ofClass: (className: string) => `an object of ${className}`,
  noTools: (className: string) =>
    `Cannot take tools from an object of ${className}: no field or getter of it holds one; make tools with defineTool in its fields, or decorate its methods`,
  notPublicMethod: (method: string) =>
    `Cannot make a tool of the method "${method}": it is static or private; decorate public methods of objects`,
  notATool: (found: string) =>
    `Cannot register ${found} as a tool: it was not made by defineTool; define it with defineTool`,

  unknownListed: (option: string, name: string, near: readonly string[]) =>
    near.length === 0
      ? `Cannot use "${option}": there is no tool "${name}"; list names of this engine's tools`
      : `Cannot use "${option}": there is no tool "${name}"; did you mean ${near.map((each) => `"${each}"`).join(", ")}?`,
  notAllowed: (name: string) =>
    `Cannot run tool "${name}": it is not among the tools that are allowed here; use one of those`,
  restricted: (name: string) =>
    `Cannot run tool "${name}" now: it is outside of what the tools are restricted to at the moment; use another one`,
  restrictsNothing: 'Cannot restrict the tools: nothing is said; give "tools", "maxRisk" or both',
  restrictionKey: (key: string) =>
    `Cannot restrict the tools: "${key}" is no part of a restriction; give "tools", "maxRisk" or both`,
  restrictionRisk: (found: string) =>
    `Cannot restrict the tools: "maxRisk" is ${found}; give "read", "write" or "exec"`,
  searchSetting: (field: string, found: string) =>
    `Cannot use "toolSearch.${field}": it is ${found}; use a whole number from 1 on, or leave it out`,

  done: "(done)",
  silentFailure: "The tool failed and did not say why",
  unusableResult: (problem: string) => `Cannot use what the tool returned: ${problem}; return a string or JSON`,
  badField: (field: string, expected: string) => `"${field}" is not ${expected}`,
  unknownKind: (error: string, kind: string) =>
    `${error} (the tool gave ${kind} as the kind of this error, which is none)`,
} as const;
