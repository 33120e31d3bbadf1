import { distance } from "fastest-levenshtein";
import type { ToolOutcome } from "../contract/tool.ts";
import type { ReadableWorkspace } from "../contract/workspace.ts";
import { coreToolMessages } from "../errors/messages/core-tools.ts";
import { pathError } from "../errors/messages/path.ts";
import { WorkspacePathError } from "../errors/workspace-path-error.ts";

/** What a tool was about to do. */
export interface PathAction {
  /** A verb, as in "Cannot read …". */
  readonly action: string;
  readonly workspace: ReadableWorkspace;
  /** A better sentence than the workspace's own, per reason. */
  readonly sentences?: Partial<Record<WorkspacePathError["reason"], (path: string) => string>>;
}

/**
 * Does something with paths. Where a path cannot be used, the result is a failure that says what would be right; a name
 * that is not there is answered with the ones most like it.
 */
export async function explainPathErrors(
  { action, workspace, sentences = {} }: PathAction,
  work: () => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof WorkspacePathError)) throw error;
    const sentence = sentences[error.reason];
    if (sentence !== undefined) return { success: false, error: sentence(error.path) };
    const near = error.reason === "not-found" ? await findNearPaths(workspace, error.path) : [];
    if (near.length > 0) return { success: false, error: coreToolMessages.missing(action, error.path, near) };
    return { success: false, error: reword(error, action) };
  }
}

/** The workspace speaks of the step that failed ("look up"), the model of what it asked for. */
function reword(error: WorkspacePathError, action: string): string {
  // This one also tells sizes, which the workspace alone knows.
  if (error.reason === "too-large") return error.message;
  return pathError(error.reason, { action, path: error.path }).message;
}

const MAX_SUGGESTIONS = 3;
const MAX_COMPARED_CHARACTERS = 255;

async function findNearPaths(workspace: ReadableWorkspace, path: string): Promise<readonly string[]> {
  const trimmed = path.replace(/\/+$/, "");
  const slash = trimmed.lastIndexOf("/");
  const directory = trimmed.slice(0, slash + 1);
  const name = trimmed.slice(slash + 1);
  if (name.length > MAX_COMPARED_CHARACTERS) return [];
  const names = await readNames(workspace, directory);
  return names
    .map((candidate) => ({ candidate, steps: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, steps }) => steps <= Math.max(2, Math.ceil(Math.max(candidate.length, name.length) / 3)))
    .toSorted((left, right) => left.steps - right.steps)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ candidate }) => `${directory}${candidate}`);
}

async function readNames(workspace: ReadableWorkspace, directory: string): Promise<readonly string[]> {
  try {
    return (await workspace.readDirectory(directory)).map((entry) => entry.name);
  } catch (error) {
    // The directory is not there either: there is nothing to suggest, and the first error says what is wrong.
    if (error instanceof WorkspacePathError) return [];
    throw error;
  }
}
