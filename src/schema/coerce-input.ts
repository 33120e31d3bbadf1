/**
 * Models sometimes send a value as the text of it: `"[1, 2]"` for a list, `"5"` for a number. Such a string is read as
 * what it says when nothing else can be meant:
 *
 * - the schema refuses the value, and refuses it because of its type: a place that accepts strings is never touched,
 * - of several forms that a place may have (`anyOf`, `oneOf`), either none takes a string or one alone can be meant,
 * - the text is exactly the JSON of one of the wanted types (`True` and `False` are read too), and an integer is one that a
 *   number holds exactly.
 *
 * Whatever is read is validated again, and is recorded by the caller.
 */
import type { ErrorObject } from "ajv";
import { schemaMessages } from "../errors/messages/schema.ts";
import { copyJson, type JsonLimits } from "./copy-json.ts";
import { decodePointerPart, typesOf, wantedTypes } from "./describe-errors.ts";
import { type ErrorNode, viableBranches } from "./error-tree.ts";
import { formatPath } from "./format-path.ts";
import { nameType } from "./show-value.ts";

/** An input that may be replaced as a whole. */
export interface InputHolder {
  value: unknown;
}

/** Reads stringified values where the errors allow it, changes the held input and says what was read. */
export function coerceInput(input: InputHolder, nodes: readonly ErrorNode[], limits: JsonLimits): readonly string[] {
  const coercions: string[] = [];
  for (const [pointer, types] of collectWantedTypes(nodes)) {
    const path = pointer.split("/").slice(1).map(decodePointerPart);
    const place = findPlace(input, path);
    const text = place?.container[place.key];
    if (place === undefined || typeof text !== "string") continue;
    const read = readAs(text, types, limits);
    if (read === undefined) continue;
    place.container[place.key] = read.value;
    coercions.push(schemaMessages.coerced(formatPath(path), nameType(read.type)));
  }
  return coercions;
}

/** Which types are wanted at which place (as a JSON pointer), where a string is there instead. */
function collectWantedTypes(nodes: readonly ErrorNode[]): ReadonlyMap<string, readonly string[]> {
  const wanted = new Map<string, readonly string[]>();
  const add = (error: ErrorObject, types: readonly string[]) => {
    if (typeof error.data === "string") wanted.set(error.instancePath, types);
  };
  const visit = (node: ErrorNode) => {
    if (node.kind === "single") {
      if (node.error.keyword === "type") add(node.error, typesOf(node.error));
      return;
    }
    const viable = viableBranches(node);
    if (viable.length === 0) add(node.error, wantedTypes(node.branches, node.error));
    else if (viable.length === 1) viable[0]?.forEach(visit);
  };
  nodes.forEach(visit);
  return wanted;
}

interface Place {
  readonly container: Record<string, unknown>;
  readonly key: string;
}

function findPlace(input: InputHolder, path: readonly string[]): Place | undefined {
  // The holder is the container of the whole input, under its one key.
  const keys = ["value", ...path];
  let container: unknown = input;
  for (const key of keys.slice(0, -1)) {
    if (!isContainer(container) || !Object.hasOwn(container, key)) return undefined;
    container = container[key];
  }
  const key = keys.at(-1);
  return isContainer(container) && key !== undefined ? { container, key } : undefined;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

interface Reading {
  readonly type: string;
  readonly value: unknown;
}

function readAs(text: string, types: readonly string[], limits: JsonLimits): Reading | undefined {
  const trimmed = text.trim();
  if (/^(?:true|false)$/i.test(trimmed)) {
    const isJsonOrPython = /^(?:[tT]rue|[fF]alse)$/.test(trimmed);
    return types.includes("boolean") && isJsonOrPython
      ? { type: "boolean", value: trimmed.toLowerCase() === "true" }
      : undefined;
  }
  const parsed = parseJson(trimmed);
  if (parsed === undefined) return undefined;
  const type = types.find((each) => isOfType(parsed.value, each));
  if (type === undefined) return undefined;
  const copy = copyJson(parsed.value, { limits });
  return copy.ok ? { type, value: copy.value } : undefined;
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "integer":
      return Number.isSafeInteger(value);
    case "number":
      return typeof value === "number" && (Number.isSafeInteger(value) || !Number.isInteger(value));
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    default:
      return false;
  }
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    // No JSON: the string stays what it is, and validation says what is wanted instead.
    return undefined;
  }
}
