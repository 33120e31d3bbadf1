/** Sentences about calls that a tool makes. */
export const nestedMessages = {
  notFrom: (tool: string, risk: string) =>
    `"${tool}" cannot call other tools: it is a ${risk} tool, with a layer of its own that theirs could not be part of; let a read tool call them one after the other`,
  tooDeep: (tool: string, most: number) =>
    `Cannot call "${tool}": tools call each other ${most} deep here already; let one of them return first`,
} as const;
