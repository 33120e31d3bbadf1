/**
 * Ajv reports a flat list. For `anyOf` and `oneOf` it holds the errors of every branch, though the model meant only
 * one of them; telling it all is noise, and coercing by them would be guessing. Here the list is made a tree again:
 * the errors of branches hang below the `anyOf` or `oneOf` that they belong to.
 *
 * Ajv appends the errors of a keyword's subschemas right before the keyword's own one, so they are the run of errors
 * before it at or below its place, except those of sibling keywords of the same schema object. An error inside a `$ref`
 * carries the path of the definition instead; it is told apart by that path.
 */
import type { ErrorObject } from "ajv";

/** An error, or a choice of which no branch fits. */
export type ErrorNode =
  | { readonly kind: "single"; readonly error: ErrorObject }
  | { readonly kind: "choice"; readonly error: ErrorObject; readonly branches: readonly ErrorBranch[] };

/** Why one branch of a choice does not fit. */
export type ErrorBranch = readonly ErrorNode[];

const CHOICE_KEYWORDS = new Set(["anyOf", "oneOf"]);
/** Keywords that repeat in general what the errors of their subschemas say, or the other way round. */
const OWN_ERROR_IS_ENOUGH = new Set(["contains", "propertyNames"]);

/** Rebuilds the tree of errors from Ajv's list (made with `allErrors` and `verbose`). */
export function buildErrorTree(errors: readonly ErrorObject[]): readonly ErrorNode[] {
  const nodes: ErrorNode[] = [];
  let end = errors.length;
  while (end > 0) {
    const error = errors[end - 1];
    if (error === undefined) break;
    const isChoice = CHOICE_KEYWORDS.has(error.keyword);
    const start = isChoice || OWN_ERROR_IS_ENOUGH.has(error.keyword) ? startOfRun(errors, end - 1) : end - 1;
    nodes.push(
      isChoice
        ? { kind: "choice", error, branches: splitBranches(error, errors.slice(start, end - 1)) }
        : { kind: "single", error },
    );
    end = start;
  }
  return nodes.toReversed();
}

/**
 * The branches that the model may have meant: those that take the value's type, and of these, when a constant inside
 * tells them apart, those whose constants are met.
 */
export function viableBranches(choice: Extract<ErrorNode, { kind: "choice" }>): readonly ErrorBranch[] {
  const ofType = choice.branches.filter((branch) => !branch.some((node) => isTypeErrorAt(node, choice.error)));
  const ofConstant = ofType.filter((branch) => !branch.some((node) => isConstantErrorBelow(node, choice.error)));
  return ofConstant.length > 0 ? ofConstant : ofType;
}

function startOfRun(errors: readonly ErrorObject[], index: number): number {
  const owner = errors[index];
  if (owner === undefined) return index;
  const siblings = owner.schemaPath.slice(0, owner.schemaPath.lastIndexOf("/") + 1);
  let start = index;
  for (let each = errors[start - 1]; each !== undefined; each = errors[start - 1]) {
    const isBelow = each.instancePath === owner.instancePath || each.instancePath.startsWith(`${owner.instancePath}/`);
    const isOwned = each.schemaPath.startsWith(`${owner.schemaPath}/`) || !each.schemaPath.startsWith(siblings);
    if (!isBelow || !isOwned) break;
    start -= 1;
  }
  return start;
}

function splitBranches(owner: ErrorObject, errors: readonly ErrorObject[]): readonly ErrorBranch[] {
  const branches = new Map<string, ErrorObject[]>();
  for (const error of errors) {
    const key = branchKey(owner, error);
    const branch = branches.get(key);
    if (branch === undefined) branches.set(key, [error]);
    else branch.push(error);
  }
  return [...branches.values()].map(buildErrorTree);
}

function branchKey(owner: ErrorObject, error: ErrorObject): string {
  const prefix = `${owner.schemaPath}/`;
  if (error.schemaPath.startsWith(prefix)) return error.schemaPath.slice(prefix.length).split("/", 1)[0] ?? "";
  // "#/$defs/name/…": the definition stands for the branch that refers to it.
  return error.schemaPath.split("/", 3).join("/");
}

function isTypeErrorAt(node: ErrorNode, owner: ErrorObject): boolean {
  return node.kind === "single" && node.error.keyword === "type" && node.error.instancePath === owner.instancePath;
}

function isConstantErrorBelow(node: ErrorNode, owner: ErrorObject): boolean {
  if (node.kind !== "single" || (node.error.keyword !== "const" && node.error.keyword !== "enum")) return false;
  return node.error.instancePath.lastIndexOf("/") === owner.instancePath.length && node.error.instancePath !== "";
}
