/** What is wrong with a module of functions that are to become tools. */
export const moduleMessages = {
  cannotTake: (module: string, problems: readonly string[]) =>
    `Cannot take tools from "${module}": ${problems.length === 1 ? "" : `${problems.length} mistakes\n`}${problems.join("\n")}`,
  at: (file: string, line: number, problem: string) => `${file}:${line}: ${problem}`,
  ofFunction: (name: string, problem: string) => `"${name}" ${problem}`,

  noCompiler: (module: string) =>
    `Cannot read the types of "${module}": the package "ts-morph" is not installed; run "npm install ts-morph"`,
  noSuchFile: "there is no such file; name a TypeScript module",
  notTypeScript: "it is not TypeScript; name the .ts or .mts file that has the types",
  notLoaded: (problem: string) => `it cannot be loaded: ${problem}`,
  noTypeStripping: (problem: string) =>
    `it cannot be loaded, for Node only takes types away: ${problem}; write it without, or give the compiled module as "module"`,
  noFunctions: "it exports no function; export one with a doc comment",

  noDocComment: "has no doc comment; write above it what it does",
  notExported: "is no function of the module that was loaded; declare and export it there",
  defaultExport: "is the default export; export it by a name, which is the tool's",
  notWrittenHere: "is not written as a function; write it as one, or mark it @internal",
  overloaded: "is overloaded; give it one signature",
  generic: "has type parameters; write the types out",
  generator: "is a generator; return the whole result",
  definition: (problem: string) => `cannot be a tool: ${problem}`,

  strayParameterText: (parameter: string) =>
    `describes "${parameter}", which is none of its parameters; describe properties where their type is declared`,
  tagTwice: (tag: string) => `has the tag @${tag} twice; leave one`,
  badRisk: (found: string) => `has the risk "${found}"; write "@risk read", "@risk write" or "@risk exec"`,
  badTimeout: (found: string) => `has the timeout "${found}"; write milliseconds such as "@timeoutMs 15000"`,
  flagWithText: (tag: string, found: string) => `has "${found}" behind @${tag}; the tag stands alone`,
  wrongContext: (found: string, risk: string) =>
    `takes the context ${found}, but its risk is ${risk}; change one of them`,

  untyped: (place: string) => `does not say the type of ${place}; write it down`,
  destructured: (position: number) => `takes its parameter ${position} apart; give it a name`,
  rest: (place: string) => `takes any number of values as ${place}; take an array`,
  parameter: (name: string) => `its parameter "${name}"`,
  property: (name: string, place: string) => `"${name}" of ${place}`,
  items: (place: string) => `the items of ${place}`,
  values: (place: string) => `the values of ${place}`,
  unsupported: (place: string, type: string) =>
    `has the type ${type} for ${place}, which is no JSON; use strings, numbers, booleans, literals, null, arrays, records and objects of them`,
  tooDeep: (parameter: string) => `has a type that has no end in "${parameter}"; name the type that repeats itself`,
} as const;
