/** How far an entry is. */
export const TODO_STATUSES = ["pending", "in_progress", "done"] as const;

/** One thing to do. */
export interface Todo {
  /** Stays the same as long as the entry exists; never used again. */
  readonly id: number;
  readonly text: string;
  readonly status: (typeof TODO_STATUSES)[number];
}

/** What shall become of the list. */
export interface TodoChange {
  readonly add: readonly string[];
  readonly update: readonly (Pick<Todo, "id"> & Partial<Todo>)[];
  readonly remove: readonly number[];
}

/** The list after a change, or what kept it from being changed. */
export type ChangedTodos =
  { readonly kind: "changed" } | { readonly kind: "unknown"; readonly id: number } | { readonly kind: "too-many" };

/** How long a list can be. */
export const MAX_TODOS = 200;

/** The agent's list of what there is to do. */
export class TodoList {
  #entries: readonly Todo[] = [];
  #lastId = 0;

  /** In the order in which they were added. */
  get entries(): readonly Todo[] {
    return this.#entries;
  }

  /** Changes the list as a whole, or leaves it. */
  change({ add, update, remove }: TodoChange): ChangedTodos {
    const known = new Set(this.#entries.map(({ id }) => id));
    const unknown = [...update.map(({ id }) => id), ...remove].find((id) => !known.has(id));
    if (unknown !== undefined) return { kind: "unknown", id: unknown };
    const removed = new Set(remove);
    const kept = this.#entries.filter(({ id }) => !removed.has(id));
    if (kept.length + add.length > MAX_TODOS) return { kind: "too-many" };
    const updated = kept.map((entry) =>
      update.filter(({ id }) => id === entry.id).reduce<Todo>((current, each) => ({ ...current, ...each }), entry),
    );
    const added = add.map((text): Todo => ({ id: (this.#lastId += 1), text, status: "pending" }));
    this.#entries = [...updated, ...added];
    return { kind: "changed" };
  }
}

/** The list in the state that an engine's tools share; made when it is first asked for. */
export function todoListOf(state: Map<string, unknown>): TodoList {
  const known = state.get(STATE_KEY);
  if (known instanceof TodoList) return known;
  const list = new TodoList();
  state.set(STATE_KEY, list);
  return list;
}

const STATE_KEY = "cofferdam:todo";
