import type { ParameterDeclaration } from "ts-morph";
import type { JsonSchema, ObjectSchema } from "../../contract/json-schema.ts";
import { moduleMessages } from "../../errors/messages/module.ts";
import { contextTypeOf } from "./context-type.ts";
import type { ContextType } from "./context-type.ts";
import { describedAs } from "./doc-comment.ts";
import { literalValue } from "./literal-value.ts";
import type { Compiler } from "./load-compiler.ts";
import type { Report } from "./mistakes.ts";
import { allowsUndefined, TypeSchemas } from "./type-schema.ts";

/** One parameter of a function: either a part of the input, or the context, which the model does not see. */
export type FunctionParameter = { readonly name: string } & (
  | { readonly from: "input"; readonly schema: JsonSchema; readonly isRequired: boolean }
  | { readonly from: "context"; readonly context: ContextType }
);

/** What a function takes. */
export interface ReadParameters {
  /** In the order of the function's arguments. */
  readonly list: readonly FunctionParameter[];
  /** The input that they are parts of. */
  readonly schema: ObjectSchema;
}

/** Reads the parameters of a function. */
export function readParameters(
  parameters: readonly ParameterDeclaration[],
  compiler: Compiler,
  report: Report,
): ReadParameters {
  const schemas = new TypeSchemas(report);
  const list = parameters.map((parameter, index) => readParameter(parameter, index + 1, { schemas, compiler, report }));
  const inputs = list.filter((each) => each.from === "input");
  const required = inputs.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const schema: ObjectSchema = {
    type: "object",
    properties: Object.fromEntries(inputs.map((each) => [each.name, each.schema])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    ...schemas.definitions,
  };
  return { list, schema };
}

interface Reading {
  readonly schemas: TypeSchemas;
  readonly compiler: Compiler;
  readonly report: Report;
}

function readParameter(parameter: ParameterDeclaration, position: number, reading: Reading): FunctionParameter {
  const { schemas, compiler, report } = reading;
  const name = parameter.getName();
  const type = parameter.getType();
  const context = contextTypeOf(type.getNonNullableType());
  if (context !== undefined) return { from: "context", name, context };
  const problem = problemOf(parameter, position, compiler);
  if (problem !== undefined) {
    report(problem, parameter);
    return { from: "input", name, schema: true, isRequired: true };
  }
  const schema = {
    ...schemas.write(type, { words: moduleMessages.parameter(name), node: parameter }),
    ...describedAs(parameter.getSymbolOrThrow()),
    ...defaultOf(parameter, compiler),
  };
  return { from: "input", name, schema, isRequired: !parameter.isOptional() && !allowsUndefined(type) };
}

function problemOf(parameter: ParameterDeclaration, position: number, { Node: kinds }: Compiler): string | undefined {
  if (!kinds.isIdentifier(parameter.getNameNode())) return moduleMessages.destructured(position);
  const place = moduleMessages.parameter(parameter.getName());
  if (parameter.isRestParameter()) return moduleMessages.rest(place);
  const isUntyped = parameter.getTypeNode() === undefined && parameter.getType().isAny();
  return isUntyped ? moduleMessages.untyped(place) : undefined;
}

/** A default that is no constant still makes the parameter optional; the function itself fills it in. */
function defaultOf(parameter: ParameterDeclaration, compiler: Compiler): { readonly default?: unknown } {
  const initializer = parameter.getInitializer();
  const value = initializer === undefined ? undefined : literalValue(initializer, compiler);
  return value === undefined ? {} : { default: value };
}
