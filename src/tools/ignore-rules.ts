/**
 * Leaves out of a walk what .gitignore files name. A file speaks of what lies below its directory; of all patterns that
 * match a path the last one decides, and a file further down speaks after one further up. A walk does not enter what is
 * ignored, so nothing below an ignored directory can be taken back, as in git. Unlike git, files that are tracked all the
 * same are ignored too, and the user's own ignore files outside the tree are not looked at.
 *
 * What the call itself names is never ignored: who asks for `dist/` by name wants it.
 */
import type { DirectoryEntry, ReadableWorkspace } from "../contract/workspace.ts";
import { WorkspacePathError } from "../errors/workspace-path-error.ts";
import { childPath, parentPath } from "../union/normalize-path.ts";
import { type IgnorePattern, parseIgnoreLine } from "../union/ignore-pattern.ts";
import { namesIn } from "./left-out.ts";

/** Tells for the entries of a directory which of them a walk sees. */
export interface IgnoreRules {
  /** Has something been left out so far? */
  readonly hasIgnored: () => boolean;
  /** The entries that are not ignored. A directory's parent has to be asked about first. */
  readonly select: (directory: string, entries: readonly DirectoryEntry[]) => Promise<readonly DirectoryEntry[]>;
}

/** Where a walk begins, and what its call speaks of. */
export interface IgnoreOptions {
  /** Relative to the root, resolved. */
  readonly start: string;
  /** Look at everything. */
  readonly includeIgnored: boolean;
  /** Paths and globs of the call; the names in them are not ignored. */
  readonly mentions: readonly (string | undefined)[];
}

/** The schema of the argument that says so. */
export const INCLUDE_IGNORED = {
  type: "boolean",
  default: false,
  description: "Look at what .gitignore files name as well",
} as const;

/** Makes the rules for a walk, with those of the directories that its start lies in. */
export async function openIgnoreRules(
  workspace: ReadableWorkspace,
  { start, includeIgnored, mentions }: IgnoreOptions,
): Promise<IgnoreRules> {
  if (includeIgnored) return NO_RULES;
  const rules = new Rules(workspace, namesIn(mentions));
  const above = start === "" ? [] : start.split("/").map((_, depth, parts) => parts.slice(0, depth).join("/"));
  for (const directory of above) await rules.enter(directory, await findIgnoreFile(workspace, directory));
  return {
    hasIgnored: () => rules.hasIgnored,
    select: async (directory, entries) => await rules.select(directory, entries),
  };
}

const NO_RULES: IgnoreRules = {
  hasIgnored: () => false,
  select: async (_directory, entries) => await Promise.resolve(entries),
};

/** The patterns of one file, and those of the files above it. */
interface Scope {
  readonly directory: string;
  /** The last one first, as the first that matches decides. */
  readonly patterns: readonly IgnorePattern[];
  readonly above: Scope | undefined;
}

class Rules {
  hasIgnored = false;
  readonly #workspace: ReadableWorkspace;
  readonly #named: ReadonlySet<string>;
  readonly #scopes = new Map<string, Scope | undefined>();

  constructor(workspace: ReadableWorkspace, named: ReadonlySet<string>) {
    this.#workspace = workspace;
    this.#named = named;
  }

  async enter(directory: string, hasFile: boolean): Promise<Scope | undefined> {
    const above = directory === "" ? undefined : this.#scopes.get(parentPath(directory));
    const patterns = hasFile ? await readPatterns(this.#workspace, childPath(directory, IGNORE_FILE)) : [];
    const scope = patterns.length === 0 ? above : { directory, patterns, above };
    this.#scopes.set(directory, scope);
    return scope;
  }

  async select(directory: string, entries: readonly DirectoryEntry[]): Promise<readonly DirectoryEntry[]> {
    const hasFile = entries.some(({ name, type }) => name === IGNORE_FILE && type === "file");
    const scope = await this.enter(directory, hasFile);
    if (scope === undefined) return entries;
    const seen = entries.filter((entry) => this.#named.has(entry.name) || !isIgnored(scope, directory, entry));
    this.hasIgnored ||= seen.length < entries.length;
    return seen;
  }
}

const IGNORE_FILE = ".gitignore";
const MAX_IGNORE_BYTES = 1_048_576;

function isIgnored(scope: Scope, directory: string, { name, type }: DirectoryEntry): boolean {
  const path = childPath(directory, name);
  for (let current: Scope | undefined = scope; current !== undefined; current = current.above) {
    const relative = current.directory === "" ? path : path.slice(current.directory.length + 1);
    const deciding = current.patterns.find((pattern) => pattern.matches(relative, type === "directory"));
    if (deciding !== undefined) return !deciding.isNegated;
  }
  return false;
}

async function findIgnoreFile(workspace: ReadableWorkspace, directory: string): Promise<boolean> {
  try {
    // As in git, a symlink in its place is not read.
    return (await workspace.lstat(childPath(directory, IGNORE_FILE))).type === "file";
  } catch (error) {
    if (error instanceof WorkspacePathError) return false;
    throw error;
  }
}

async function readPatterns(workspace: ReadableWorkspace, path: string): Promise<readonly IgnorePattern[]> {
  try {
    const bytes = await workspace.readFile(path, { maxBytes: MAX_IGNORE_BYTES });
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
    const patterns = text
      .replace(/^\ufeff/, "")
      .split("\n")
      .map(parseIgnoreLine);
    return patterns.filter((pattern) => pattern !== undefined).toReversed();
  } catch (error) {
    // Unreadable or absurdly large: a walk shows too much rather than nothing.
    if (error instanceof WorkspacePathError) return [];
    throw error;
  }
}
