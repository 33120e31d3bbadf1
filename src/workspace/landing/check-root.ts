import type { LandingConflict, LandingConflictKind } from "../../contract/landing.ts";
import { conflictReasons } from "../../errors/messages/workspace.ts";
import { displayPath } from "../../union/path-bytes.ts";
import { parentPath, childPath } from "../../union/normalize-path.ts";
import type { Fingerprint } from "../fingerprint.ts";
import { confirmFingerprint, takeFingerprint } from "../fingerprint.ts";
import type { Stamp } from "../stamp.ts";
import type { AnchoredRoot } from "./anchored-root.ts";

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
): Promise<{ readonly present: ReadonlyMap<string, Fingerprint>; readonly conflicts: readonly LandingConflict[] }> {
  const present = new Map<string, Fingerprint>();
  const conflicts: LandingConflict[] = [];
  const becoming = new Map(expectations.map(({ path, becomes }) => [path, becomes]));
  for (const { path, expected, becomes } of expectations) {
    const found = await confirmStamp(root, { path, expected, becomes });
    if ("reason" in found) {
      conflicts.push({ path, ...found });
      continue;
    }
    present.set(path, found);
    if (becomes !== "absent" && !(await hasParent(root, path, becoming))) {
      conflicts.push({ path, kind: "parent", reason: conflictReasons.parentMissing });
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
  { path, expected, becomes }: Expectation,
): Promise<Fingerprint | Omit<LandingConflict, "path">> {
  if (expected === undefined) {
    const kind = becomes === "absent" ? "delete/new-child" : "add/add";
    return { kind, reason: conflictReasons.appeared };
  }
  if (expected.type === "moved") return { kind: "moved", reason: conflictReasons.changedWhileRunning };
  if (expected.type === "other") return { kind: "special", reason: conflictReasons.special };
  const found = await confirmFingerprint(root, path, expected);
  if (found !== undefined) return found;
  if (expected.type === "absent") return { kind: "add/add", reason: conflictReasons.appeared };
  const present = await takeFingerprint(root, path);
  if (present.type === "absent") return { kind: "edit/delete", reason: conflictReasons.disappeared };
  return { kind: kindOfChange({ expected, present, becomes }), reason: conflictReasons.changed };
}

/** What sets two things apart that are both there. */
function kindOfChange(states: {
  readonly expected: Fingerprint;
  readonly present: Fingerprint;
  readonly becomes: Fingerprint["type"];
}): LandingConflictKind {
  const { expected, present, becomes } = states;
  if (present.type !== expected.type) return "type";
  if (becomes === "absent") return "delete/edit";
  if (present.type === "directory") return "mode";
  const hasSameContent = present.type === "file" && expected.type === "file" && present.sha256 === expected.sha256;
  return hasSameContent ? "mode" : "edit/edit";
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
): Promise<readonly LandingConflict[]> {
  const names = await root.list(directory);
  return names
    .filter((name) => becoming.get(childPath(directory, name)) !== "absent")
    .map((name) => ({
      path: directory,
      kind: "delete/new-child",
      reason: conflictReasons.holdsOther(displayPath(name)),
    }));
}
