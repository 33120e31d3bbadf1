/** What `tool_search` says. */
export const toolSearchMessages = {
  description: (count: number, most: number) =>
    `Find tools that are not shown: there are ${count} more. Give keywords, or "select:NAME,NAME" for tools whose names you know. ` +
    `Answers with at most ${most} tools, each with its description and the JSON Schema of its input; they can be called from then on`,
  query: 'Keywords such as "send mail", or "select:NAME,NAME"',
  oneFound: (name: string, description: string, parameters: string) => `${name}: ${description}\nInput: ${parameters}`,
  noSuchTool: (name: string, near: readonly string[]) =>
    near.length === 0
      ? `There is no tool "${name}"; search by keywords`
      : `There is no tool "${name}"; did you mean ${near.map((each) => `"${each}"`).join(", ")}?`,
  leftOut: (names: readonly string[], most: number) =>
    `At most ${most} tools are given at once; ask for these in another call: ${names.join(", ")}`,
  nothingSelected: 'No name stands after "select:"; write names with commas between them',
  nothingFits: (query: string) => `No tool fits "${query}"; use other or fewer keywords`,
  moreFit: (count: number) =>
    `${count} more ${count === 1 ? "tool fits" : "tools fit"}; use more keywords to find them`,
} as const;
