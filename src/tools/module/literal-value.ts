import type { Expression, Node } from "ts-morph";
import type { JsonValue } from "../../contract/json-schema.ts";
import type { Compiler } from "./load-compiler.ts";

/**
 * The value of an expression that is the same JSON value at each call; `undefined` of any other. The compiler knows it of
 * constants and members of enums too.
 */
export function literalValue(expression: Expression, compiler: Compiler): JsonValue | undefined {
  const { Node: kinds } = compiler;
  if (kinds.isArrayLiteralExpression(expression))
    return all(expression.getElements().map((element) => literalValue(element, compiler)));
  if (kinds.isObjectLiteralExpression(expression)) {
    const entries = expression.getProperties().map((property) => literalEntry(property, compiler));
    return entries.every((entry) => entry !== undefined) ? Object.fromEntries(entries) : undefined;
  }
  const type = expression.getType();
  if (type.isNull()) return null;
  if (type.isBooleanLiteral()) return type.getText() === "true";
  const value = type.getLiteralValue();
  return typeof value === "object" ? undefined : value;
}

function literalEntry(property: Node, compiler: Compiler): readonly [string, JsonValue] | undefined {
  if (!compiler.Node.isPropertyAssignment(property)) return undefined;
  const name = property.getSymbol()?.getName();
  const value = literalValue(property.getInitializerOrThrow(), compiler);
  return name === undefined || value === undefined ? undefined : [name, value];
}

function all(values: readonly (JsonValue | undefined)[]): readonly JsonValue[] | undefined {
  return values.every((value) => value !== undefined) ? values : undefined;
}
