import { conflictReasons } from "../../errors/messages/workspace.ts";
import { displayPath } from "../../union/path-bytes.ts";
import { parentPath, childPath } from "../../union/normalize-path.ts";
import type { Fingerprint } from "../fingerprint.ts";
import { confirmFingerprint } from "../fingerprint.ts";
import type { Stamp } from "../stamp.ts";
import type { AnchoredRoot } from "./anchored-root.ts";

/** A path that moved, and how. */
export interface Conflict {
  readonly path: string;
  readonly reason: string;
}

/** What is expected at a path, and what shall be there. */
export interface Expectation {
  readonly path: string;
  /** Absent when the path was not there to be stamped. */
  readonly expected: Stamp | undefined;
  readonly becomes: Fingerprint["type"];
}

/** What the root has at each path, or everything that stands against changing them. Touches nothing. */
export async function checkRoot(
  root: AnchoredRoot,
  expectations: readonly Expectation[],
): Promise<{ readonly present: ReadonlyMap<string, Fingerprint>; readonly conflicts: readonly Conflict[] }> {
  const present = new Map<string, Fingerprint>();
  const conflicts: Conflict[] = [];
  const becoming = new Map(expectations.map(({ path, becomes }) => [path, becomes]));
  for (const { path, expected, becomes } of expectations) {
    const found = await confirmStamp(root, path, expected);
    if (typeof found === "string") {
      conflicts.push({ path, reason: found });
      continue;
    }
    present.set(path, found);
    if (becomes !== "absent" && !(await hasParent(root, path, becoming))) {
      conflicts.push({ path, reason: conflictReasons.parentMissing });
    }
    if (found.type === "directory" && becomes !== "directory") {
      conflicts.push(...(await findOthers(root, path, becoming)));
    }
  }
  return { present, conflicts };
}

/** The present fingerprint, or why it is not what was expected. */
async function confirmStamp(
  root: AnchoredRoot,
  path: string,
  expected: Stamp | undefined,
): Promise<Fingerprint | string> {
  if (expected === undefined) return conflictReasons.appeared;
  if (expected.type === "moved") return conflictReasons.changedWhileRunning;
  if (expected.type === "other") return conflictReasons.special;
  const found = await confirmFingerprint(root, path, expected);
  if (found !== undefined) return found;
  if (expected.type === "absent") return conflictReasons.appeared;
  return (await root.inspect(path)) === undefined ? conflictReasons.disappeared : conflictReasons.changed;
}

async function hasParent(
  root: AnchoredRoot,
  path: string,
  becoming: ReadonlyMap<string, Fingerprint["type"]>,
): Promise<boolean> {
  const parent = parentPath(path);
  const planned = becoming.get(parent);
  if (planned !== undefined) return planned === "directory";
  return (await root.inspect(parent))?.isDirectory() ?? false;
}

/** What a directory that shall go holds beside what shall go with it. */
async function findOthers(
  root: AnchoredRoot,
  directory: string,
  becoming: ReadonlyMap<string, Fingerprint["type"]>,
): Promise<readonly Conflict[]> {
  const names = await root.list(directory);
  return names
    .filter((name) => becoming.get(childPath(directory, name)) !== "absent")
    .map((name) => ({ path: directory, reason: conflictReasons.holdsOther(displayPath(name)) }));
}
