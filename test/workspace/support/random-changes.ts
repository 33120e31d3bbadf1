import * as fc from "fast-check";

import type { WritableWorkspace } from "../../../src/contract/workspace.ts";
import { WorkspacePathError } from "../../../src/errors/workspace-path-error.ts";

/** One change of a workspace; one that cannot be done where it meets is passed over. */
export type RandomChange =
  | { readonly kind: "write"; readonly path: string; readonly content: string }
  | { readonly kind: "directory"; readonly path: string }
  | { readonly kind: "remove"; readonly path: string }
  | { readonly kind: "rename"; readonly path: string; readonly to: string }
  | { readonly kind: "mode"; readonly path: string; readonly mode: number }
  | { readonly kind: "symlink"; readonly path: string; readonly target: string };

/** Few names, so that changes meet; one that is not UTF-8, and one that sorts between a directory and its content. */
const name = fc.constantFrom("a", "b", "c", "a-", "n\u{dcff}", "sp ace\n");
/** A path of up to three parts. */
const randomPath: fc.Arbitrary<string> = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
const content = fc.constantFrom("", "one", "two\n", "one\ntwo\nthree\n", "\u0000binary", "r\r\n");

/** Any one change. */
export const randomChange: fc.Arbitrary<RandomChange> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("write" as const), path: randomPath, content }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("directory" as const), path: randomPath }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("remove" as const), path: randomPath }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("rename" as const), path: randomPath, to: randomPath }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("mode" as const),
      path: randomPath,
      mode: fc.constantFrom(0o644, 0o755, 0o700, 0o600),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("symlink" as const),
      path: randomPath,
      target: fc.constantFrom("a", "../b", "nowhere", "c/a"),
    }),
  },
);

/** Does changes one after the other. */
export async function applyChanges(files: WritableWorkspace, changes: readonly RandomChange[]): Promise<void> {
  for (const change of changes) {
    try {
      await applyChange(files, change);
    } catch (error) {
      // What the tree does not allow here is no change.
      if (!(error instanceof WorkspacePathError)) throw error;
    }
  }
}

async function applyChange(files: WritableWorkspace, change: RandomChange): Promise<void> {
  switch (change.kind) {
    case "write":
      return files.writeFile(change.path, change.content);
    case "directory":
      return files.makeDirectory(change.path);
    case "remove":
      return files.remove(change.path, { recursive: true });
    case "rename":
      return files.rename(change.path, change.to, { overwrite: true });
    case "mode":
      return files.setMode(change.path, change.mode);
    case "symlink":
      return files.makeSymlink(change.target, change.path);
  }
}
