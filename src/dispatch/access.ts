/**
 * What decides whether two calls may run at the same time. A tool can name what a call reads and writes; the names mean
 * nothing here, they only have to be equal. One that names nothing reads everything when it may run beside others, and
 * writes everything when it may not.
 */
import type { Tool } from "../contract/tool.ts";
import type { PermittedCall } from "./call-state.ts";

/** The resources that a call uses. */
export interface Access {
  readonly reads: Resources;
  readonly writes: Resources;
}

type Resources = "everything" | ReadonlySet<string>;

/** What a call uses, by what its tool says. A tool that fails to say it runs alone. */
export function accessOf({ registered: { tool }, input }: Pick<PermittedCall, "registered" | "input">): Access {
  if (tool.resources === undefined) return tool.parallel ? READS_EVERYTHING : WRITES_EVERYTHING;
  return askTool(tool, input) ?? WRITES_EVERYTHING;
}

/** Whether one of two calls writes what the other one uses, so that they run one after the other in the model's order. */
export function isInConflict(one: Access, other: Access): boolean {
  return overlap(one.writes, other.writes) || overlap(one.writes, other.reads) || overlap(one.reads, other.writes);
}

/**
 * The same for calls of different batches, between which there is no order: a read then looks at the workspace as it is,
 * and does not wait for a command that somebody else runs. What both name is kept apart all the same.
 */
export function isInConflictAcrossBatches(one: Access, other: Access): boolean {
  return (
    overlap(one.writes, other.writes) || shareNames(one.writes, other.reads) || shareNames(one.reads, other.writes)
  );
}

const NOTHING: ReadonlySet<string> = new Set();
const READS_EVERYTHING: Access = { reads: "everything", writes: NOTHING };
const WRITES_EVERYTHING: Access = { reads: "everything", writes: "everything" };

function askTool(tool: Tool, input: unknown): Access | undefined {
  try {
    // The tool's own method takes the input that its own schema has accepted.
    const answer: unknown = tool.resources?.(input as never);
    if (!isPlainObject(answer)) return undefined;
    const { reads = [], writes = [], ...unknown } = answer;
    if (Object.keys(unknown).length > 0 || !isNames(reads) || !isNames(writes)) return undefined;
    return { reads: new Set(reads), writes: new Set(writes) };
  } catch {
    return undefined;
  }
}

/** A promise or a list has no parts either, and says something else than that nothing is used. */
function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

function overlap(some: Resources, others: Resources): boolean {
  if (some === "everything") return others === "everything" || others.size > 0;
  return others === "everything" ? some.size > 0 : shareNames(some, others);
}

function shareNames(some: Resources, others: Resources): boolean {
  return some !== "everything" && others !== "everything" && !some.isDisjointFrom(others);
}
