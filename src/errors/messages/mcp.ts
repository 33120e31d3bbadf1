/** Sentences about MCP servers: to the person who configures one, and to the model that calls a tool of one. */
export const mcpMessages = {
  cannotUse: (name: string | undefined, problem: string) =>
    `Cannot use ${name === undefined ? "an MCP server" : `the MCP server "${name}"`}: ${problem}`,
  serverName: (found: string) =>
    `"name" is ${found}; use 1 to 32 letters, digits, "-" and single "_" that neither begin nor end the name`,
  commandOrUrl: 'it has neither or both of "command" and "url"; give one of them',
  unusableUrl: (found: string) => `"url" is ${found}; give an address that begins with http:// or https://`,
  noSuchTool: (option: string, pattern: string, offered: readonly string[]) =>
    `"${option}" names "${pattern}", and the server has no such tool; it has ${list(offered)}`,
  totalTooShort: (timeoutMs: number, maxTimeoutMs: number) =>
    `"timeoutMs" is ${timeoutMs} ms and "maxTimeoutMs" ${maxTimeoutMs} ms; the second must not be less`,

  cannotConnect: (name: string, problem: string) => `Cannot connect to the MCP server "${name}": ${problem}`,
  startFailed: (problem: string, said: string) =>
    said === "" ? problem : `${problem}; on stderr it said ${JSON.stringify(said)}`,
  processEnded: (code: number | null, signal: string | null) =>
    code === null ? `the process was ended by ${signal}` : `the process ended with exit code ${code}`,
  noTools: "it says that it offers no tools",

  leftOut: (tool: string, problem: string) => `The tool "${tool}" of the server is left out: ${problem}`,
  hiddenInSchema: (path: string) => `its schema holds hidden characters at ${path}`,
  cleaned: (tool: string, hidden: number) =>
    `What "${tool}" says of itself held ${hidden} hidden ${hidden === 1 ? "character" : "characters"}, which ${hidden === 1 ? "is" : "are"} taken out`,
  shortened: (tool: string, length: number) => `The description of "${tool}" was cut; it had ${length} characters`,
  suspicious: (tool: string, quote: string) =>
    `The description of "${tool}" speaks to the model as no description should: ${JSON.stringify(quote)}`,
  raised: (tool: string, from: string, to: string) =>
    `The risk of "${tool}" is "${to}" and not "${from}" as configured, because the server itself says that it changes things`,
  noDescription: (tool: string, server: string) => `The tool "${tool}" of the MCP server "${server}"`,

  where: (name: string) => `the MCP server "${name}"`,
  describeCall: (name: string, tool: string, input: string) =>
    `Call "${tool}" of the MCP server "${name}", outside of every sandbox, with ${input}`,

  lost: (name: string) =>
    `The connection to the MCP server "${name}" was lost; the call may or may not have had its effect`,
  dropped: (name: string) => `The connection to the MCP server "${name}" was lost before the call went out; try again`,
  unreachable: (name: string, attempts: number) =>
    `Cannot reach the MCP server "${name}": ${attempts} ${attempts === 1 ? "attempt" : "attempts"} to connect failed; try again later`,
  closed: (name: string) => `Cannot call the MCP server "${name}": it has been closed`,
  protocol: (name: string, problem: string) => `The MCP server "${name}" did not answer as it should: ${problem}`,
  refusedInput: (problem: string) => `(input error: ${problem})`,
  wrongOutput: (name: string, problem: string) =>
    `The MCP server "${name}" answered with something else than its tool declares: ${problem}`,
  noStructure: "there is no structured content",
  silent: (name: string, timeoutMs: number) =>
    `The MCP server "${name}" gave no sign of life for ${timeoutMs} ms; the call was cancelled and may have had its effect`,
  tookTooLong: (name: string, timeoutMs: number) =>
    `The MCP server "${name}" did not finish within ${timeoutMs} ms; the call was cancelled and may have had its effect`,
  changed:
    "its server describes it otherwise than when it was approved; whoever runs the engine has to look at it and connect anew",
  gone: "its server does not offer it any more",
  silentFailure: "The tool failed and did not say why",

  image: (mimeType: string) => `[image, ${mimeType}]`,
  audio: (mimeType: string) => `[audio, ${mimeType}, cannot be shown]`,
  resource: (uri: string) => `[resource ${uri}]`,
  progress: (progress: number, total: number | undefined, message: string | undefined) =>
    [`${progress}${total === undefined ? "" : ` of ${total}`}`, ...(message === undefined ? [] : [message])].join(": "),
} as const;

function list(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.map((name) => `"${name}"`).join(", ");
}
