/*
 * Rules on the arguments of a call that is no command line: paths of the file tools, hosts, and any argument by its name. A rule
 * that allows has to fit all that the call names of that kind, one that denies or asks any of it.
 */
import type { Word } from "../command/analysis.ts";
import { filesOfCall } from "./file-tools.ts";
import { hostOf } from "./host-pattern.ts";
import type { HostPattern } from "./host-pattern.ts";
import type { PathPattern } from "./path-pattern.ts";

/** What a rule says of arguments. */
export type CallMatcher =
  | { readonly kind: "path"; readonly pattern: PathPattern }
  | { readonly kind: "host"; readonly pattern: HostPattern }
  | { readonly kind: "argument"; readonly name: string; readonly pattern: RegExp };

/** A call as matchers see it. */
export interface MatchedCall {
  readonly tool: string;
  readonly input: unknown;
}

/** Whether everything that a matcher is about fits, and there is something. */
export function coversCall(matcher: CallMatcher, call: MatchedCall): boolean {
  const checks = checksOf(matcher, call);
  return checks.length > 0 && checks.every(Boolean);
}

/** Whether anything that a matcher is about fits. */
export function touchesCall(matcher: CallMatcher, call: MatchedCall): boolean {
  return checksOf(matcher, call).some(Boolean);
}

function checksOf(matcher: CallMatcher, { tool, input }: MatchedCall): readonly boolean[] {
  switch (matcher.kind) {
    case "path":
      return filesOfCall(tool, input).map(({ path }) => matcher.pattern.couldMatch(pathWord(path), [""]));
    case "host":
      return textsOf(input)
        .flatMap((text) => hostOf(text) ?? [])
        .map(matcher.pattern);
    case "argument":
      return textsOf(valueAt(input, matcher.name)).map((text) => matcher.pattern.test(text));
  }
}

function pathWord(path: string): Word {
  return { kind: "static", text: path };
}

/** All texts, numbers and truth values in a value. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number" || typeof value === "boolean") return [String(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

function valueAt(input: unknown, name: string): unknown {
  let value = input;
  for (const key of name.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    // Just looked at: it is an object that has this key.
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
