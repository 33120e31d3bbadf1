import type { ToolOutcome } from "../../contract/tool.ts";
import { agentToolMessages } from "../../errors/messages/agent-tools.ts";
import { defineTool } from "../define-tool.ts";
import { listLines } from "../explain-edit.ts";
import { type ChangedTodos, MAX_TODOS, type Todo, TODO_STATUSES, type TodoList, todoListOf } from "../todo-list.ts";

/** Keeps the agent's list of what there is to do. */
export const todoTool = defineTool({
  name: "todo",
  description:
    'Keeps a list of what you have to do, and shows it. Without arguments it only shows it. Use it for work of several steps: add them first, set one to "in_progress" when you begin it and complete it when it is done. A call changes all that it names, or nothing.',
  risk: "read",
  parallel: false,
  capabilities: ["agent"],
  openWorld: false,
  parameters: {
    type: "object",
    properties: {
      add: {
        type: "array",
        maxItems: MAX_TODOS,
        items: { type: "string", minLength: 1, maxLength: 1_000 },
        default: [],
        description: "Entries to add at the end",
      },
      complete: {
        type: "array",
        maxItems: MAX_TODOS,
        items: { type: "integer", minimum: 1 },
        default: [],
        description: "Numbers of entries that are done",
      },
      update: {
        type: "array",
        maxItems: MAX_TODOS,
        default: [],
        description: "Entries to change",
        items: {
          type: "object",
          properties: {
            id: { type: "integer", minimum: 1, description: "The number of the entry" },
            text: { type: "string", minLength: 1, maxLength: 1_000, description: "Its new text" },
            status: { type: "string", enum: TODO_STATUSES, description: "How far it is" },
          },
          required: ["id"],
        },
      },
      remove: {
        type: "array",
        maxItems: MAX_TODOS,
        items: { type: "integer", minimum: 1 },
        default: [],
        description: "Numbers of entries to take off the list",
      },
    },
  },
  describe: () => "Look at or change the list of what there is to do",
  execute: ({ add, complete, update, remove }, { state }): ToolOutcome => {
    const list = todoListOf(state);
    const completed = complete.map((id) => ({ id, status: "done" as const }));
    const changed = list.change({ add, update: [...update, ...completed], remove });
    if (changed.kind !== "changed") return { success: false, error: explain(changed, list) };
    return { success: true, output: show(list.entries), structured: list.entries };
  },
});

function explain(changed: Exclude<ChangedTodos, { kind: "changed" }>, { entries }: TodoList): string {
  if (changed.kind === "too-many") return agentToolMessages.tooManyTodos(MAX_TODOS);
  return agentToolMessages.unknownTodo(changed.id, listLines(entries.map(({ id }) => id)));
}

const MARKS: Readonly<Record<Todo["status"], string>> = { pending: " ", in_progress: ">", done: "x" };

function show(entries: readonly Todo[]): string {
  if (entries.length === 0) return agentToolMessages.emptyTodos;
  const done = entries.filter(({ status }) => status === "done").length;
  const lines = entries.map(({ id, text, status }) => `${id}. [${MARKS[status]}] ${text.replaceAll(/\s+/g, " ")}`);
  return [...lines, `(${done} of ${entries.length} done)`].join("\n");
}
