/** What the built-in tools answer that speak to the user, keep the agent's list, or search the web. */
export const agentToolMessages = {
  nobodyToAsk:
    "Cannot ask the user: nobody is there to answer; decide yourself, and say in your answer what you took for granted",
  noAnswer: "The user gave no answer; decide yourself, and say in your answer what you took for granted",

  unknownTodo: (id: number, known: string) =>
    `Cannot change the entry ${id}: there is none of this number; ${known === "" ? "the list is empty" : `there are ${known}`}, and nothing was changed`,
  tooManyTodos: (limit: number) =>
    `Cannot add so many entries: a list has at most ${limit}; remove what is done, and nothing was changed`,
  emptyTodos: "(the list is empty)",

  searchFailed: (reason: string) => `Cannot search the web: ${reason}; try again later, or go on without`,
  noResults: "(nothing was found; use other words)",
} as const;
