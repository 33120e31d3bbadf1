import type { Tool, ToolCollection, ToolSource } from "../contract/tool.ts";
import { toolMessages } from "../errors/messages/tools.ts";
import { collectTools } from "./collect-tools.ts";

/**
 * Tools under one name, such as those that a kind of work needs. An engine reads a group when it is created; what is
 * added later counts for the next engine.
 * @example
 * ```ts
 * const writing = new ToolGroup("writing", coreTools().filter(({ risk }) => risk !== "exec"));
 * const engine = await createEngine({ root, tools: [writing, weather] });
 * ```
 */
export class ToolGroup implements ToolCollection, Iterable<Tool> {
  readonly name: string;
  #tools: ReadonlyMap<string, Tool> = new Map();

  /** @throws ToolDefinitionError when two of the tools have one name. */
  constructor(name: string, tools: readonly ToolSource[] = []) {
    this.name = name;
    this.#tools = byName(collectTools(tools));
  }

  get collectionName(): string {
    return toolMessages.ofGroup(this.name);
  }

  /** How many tools it has. */
  get size(): number {
    return this.#tools.size;
  }

  has(name: string): boolean {
    return this.#tools.has(name);
  }

  get(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  /**
   * Adds tools and gives the group back.
   * @throws ToolDefinitionError when a name is taken by another tool; nothing has been added then.
   */
  add(...tools: readonly ToolSource[]): this {
    this.#tools = byName(collectTools([this, ...tools]));
    return this;
  }

  /** In the order in which they were given. */
  toTools(): readonly Tool[] {
    return [...this.#tools.values()];
  }

  [Symbol.iterator](): Iterator<Tool> {
    return this.#tools.values();
  }
}

function byName(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  return new Map(tools.map((tool) => [tool.name, tool]));
}
