import type { Type } from "ts-morph";
import type { JsonSchema } from "../../contract/json-schema.ts";
import type { FunctionNode } from "./read-function.ts";
import { TypeSchemas } from "./type-schema.ts";

/**
 * The schema of what a function returns, where its declared type is an object that JSON carries exactly. Texts need none, and
 * any other type promises nothing that could be held to it.
 */
export function readOutput(node: FunctionNode): { readonly output?: JsonSchema } {
  if (node.getReturnTypeNode() === undefined) return {};
  const returned = node.getReturnType();
  const type = returned.getAwaitedType() ?? returned;
  const members = type.isUnion() ? type.getUnionTypes() : [type];
  if (!members.every((member) => isDescribed(member))) return {};
  let isExact = true;
  const schemas = new TypeSchemas(() => {
    isExact = false;
  });
  const schema = schemas.write(type, { words: "", node });
  return isExact ? { output: { ...schema, ...schemas.definitions } } : {};
}

/** An object whose `success` says, or may say, how the call went is a whole outcome, which the engine reads itself. */
function isDescribed(type: Type): boolean {
  if (!type.isObject() || type.isArray() || type.isReadonlyArray()) return false;
  return type.getProperty("success") === undefined && type.getStringIndexType() === undefined;
}
