import type { Tool } from "../contract/tool.ts";
import { toolMessages } from "../errors/messages/tools.ts";
import { ToolDefinitionError } from "../errors/tool-definition-error.ts";
import { isTool, isToolCollection } from "./is-tool.ts";
import { decoratedTools } from "./tool-decorator.ts";

/**
 * The tools that an object holds in its fields, getters and decorated methods, so that tools can share settings and state
 * through it. A field may also hold a class-form tool or a group. Private fields, other methods and what is neither stay
 * out; every public getter is read once.
 * @throws ToolDefinitionError when it holds none, or two of one name.
 * @example
 * ```ts
 * class Workspace {
 *   readonly #visits = new Map<string, number>();
 *   readonly visit = defineTool({ name: "visit", … execute: ({ path }) => this.#count(path) });
 * }
 * const engine = await createEngine({ root, tools: toolsOf(new Workspace()) });
 * ```
 */
export function toolsOf(holder: object): readonly Tool[] {
  const fieldOf = new Map<string, string>();
  const tools: Tool[] = [];
  for (const [field, tool] of heldTools(holder)) {
    const other = fieldOf.get(tool.name);
    if (other !== undefined) {
      const problem = toolMessages.twice(toolMessages.ofField(other), toolMessages.ofField(field));
      throw new ToolDefinitionError(toolMessages.cannotRegister(tool.name, problem));
    }
    fieldOf.set(tool.name, field);
    tools.push(tool);
  }
  if (tools.length === 0) throw new ToolDefinitionError(toolMessages.noTools(classOf(holder)));
  return tools;
}

/** Each tool with the field, getter or method that it is in. */
function heldTools(holder: object): readonly (readonly [string, Tool])[] {
  const inFields = readableFields(holder).flatMap((field) =>
    toolsIn(Reflect.get(holder, field)).map((tool) => [field, tool] as const),
  );
  return [...inFields, ...decoratedTools(holder)];
}

function toolsIn(value: unknown): readonly Tool[] {
  if (isTool(value)) return [value];
  return isToolCollection(value) ? value.toTools() : [];
}

/** Own fields first, then getters from the object's class up to its oldest ancestor. */
function readableFields(holder: object): readonly string[] {
  const fields = new Set(Object.keys(holder));
  for (let each: unknown = holder; isClassInstancePart(each); each = Object.getPrototypeOf(each)) {
    for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(each))) {
      if (descriptor.get !== undefined) fields.add(name);
    }
  }
  return [...fields];
}

function isClassInstancePart(value: unknown): value is object {
  return typeof value === "object" && value !== null && value !== Object.prototype;
}

function classOf(holder: object): string {
  return holder.constructor?.name ?? "Object";
}
