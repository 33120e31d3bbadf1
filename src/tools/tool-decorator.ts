/**
 * The decorator of the language itself (TC39, stage 3), not TypeScript's experimental one. No engine runs its syntax yet,
 * Node's type stripping leaves it in place, and compilers write it in older syntax for a target such as ES2022.
 */
import type { ObjectSchema } from "../contract/json-schema.ts";
import type { Risk } from "../contract/risk.ts";
import type { InferInput, InputSchema, OutputSchema } from "../contract/standard-schema.ts";
import type { ContextFor, Tool } from "../contract/tool.ts";
import { toolMessages } from "../errors/messages/tools.ts";
import { ToolDefinitionError } from "../errors/tool-definition-error.ts";
import { defineTool } from "./define-tool.ts";
import type { ToolDefinition, ToolReturn } from "./tool-definition.ts";

/** What `tool` takes: a definition whose code is the method. */
export interface MethodDefinition<S extends InputSchema, R extends Risk, O extends OutputSchema> extends Omit<
  ToolDefinition<S, R, O>,
  "name" | "execute"
> {
  /** @default the method's name */
  readonly name?: string;
}

/** Decorates a method that is a tool. */
export type ToolDecorator<S extends InputSchema, R extends Risk, O extends OutputSchema> = <This extends object>(
  method: (this: This, input: InferInput<S>, context: ContextFor<R>) => ToolReturn<O>,
  place: ClassMethodDecoratorContext<This>,
) => void;

/**
 * Makes a tool of a public method; `toolsOf` gives those of an object. A subclass that overrides the method changes what
 * the tool does.
 * @throws ToolDefinitionError where the class is defined, naming the tool and what is wrong.
 * @example
 * ```ts
 * class Notes {
 *   readonly #notes = new Map<string, string>();
 *   @tool({ description: "Reads a note", risk: "read", parameters: TITLE })
 *   readNote({ title }: InferInput<typeof TITLE>) {
 *     return this.#notes.get(title) ?? `There is no note "${title}"`;
 *   }
 * }
 * const engine = await createEngine({ root, tools: toolsOf(new Notes()) });
 * ```
 */
export function tool<
  const S extends InputSchema = ObjectSchema,
  R extends Risk = "exec",
  const O extends OutputSchema = never,
>(definition: MethodDefinition<S, R, O>): ToolDecorator<S, R, O> {
  return (method, place) => {
    const field = String(place.name);
    if (place.static || place.private) throw new ToolDefinitionError(toolMessages.notPublicMethod(field));
    const define = (execute: ToolDefinition<S, R, O>["execute"]): Tool =>
      defineTool({ name: field, ...definition, execute });
    // Every mistake shows now, and not when there is an object of the class.
    define(method);
    place.addInitializer(function (this) {
      let made: Tool | undefined;
      decoratedOf(this).set(
        field,
        () => (made ??= define((input, context) => place.access.get(this).call(this, input, context))),
      );
    });
  };
}

/** The tools of an object's decorated methods, by the method. */
export function decoratedTools(holder: object): ReadonlyMap<string, Tool> {
  const definitions: Decorated = Reflect.get(holder, DECORATED) ?? new Map();
  return new Map([...definitions].map(([field, define]) => [field, define()]));
}

type Decorated = Map<string, () => Tool>;

/** Shared by all copies of this package in a process, so that one can read what another has decorated. */
const DECORATED = Symbol.for("cofferdam.decoratedTools");

function decoratedOf(holder: object): Decorated {
  const known: Decorated | undefined = Reflect.get(holder, DECORATED);
  if (known !== undefined) return known;
  const definitions: Decorated = new Map();
  Object.defineProperty(holder, DECORATED, { value: definitions });
  return definitions;
}
