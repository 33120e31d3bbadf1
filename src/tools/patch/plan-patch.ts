/**
 * A patch over several files is all or none, so everything is decided before the first file is touched: each section is
 * planned on what the sections before it would leave, and only a patch that can be made whole becomes steps.
 */
import type { ToolOutcome, WriteContext } from "../../contract/tool.ts";
import { editToolMessages } from "../../errors/messages/edit-tools.ts";
import { pathError } from "../../errors/messages/path.ts";
import { WorkspacePathError } from "../../errors/workspace-path-error.ts";
import { childPath, normalizePath, parentPath } from "../../union/normalize-path.ts";
import { findStaleness } from "../check-freshness.ts";
import { readEditableText } from "../editable-text.ts";
import { findEntry } from "../find-entry.ts";
import { isWholeWorkspace } from "../whole-workspace.ts";
import { applyHunks } from "./apply-hunks.ts";
import type { FilePatch, Hunk } from "./file-patch.ts";

/** One thing to do in the workspace. */
export type PatchStep =
  | { readonly do: "create" | "edit"; readonly path: string; readonly text: string }
  | { readonly do: "remove"; readonly path: string }
  | { readonly do: "rename"; readonly from: string; readonly to: string }
  | { readonly do: "set-mode"; readonly path: string; readonly mode: number };

/** What a patch will do, or why it does nothing. */
export type PatchPlan =
  | { readonly ok: true; readonly steps: readonly PatchStep[]; readonly notes: readonly string[] }
  | { readonly ok: false; readonly refusal: Refusal };

type Refusal = Extract<ToolOutcome, { success: false }>;
type PlanContext = Pick<WriteContext, "workspace" | "state" | "signal">;

/**
 * Plans a patch.
 * @throws WorkspacePathError when a path of it cannot be used.
 */
export async function planPatch(files: readonly FilePatch[], context: PlanContext): Promise<PatchPlan> {
  const planner = new Planner(context);
  for (const file of files) {
    context.signal.throwIfAborted();
    const refusal = await planner.plan(file);
    if (refusal !== undefined) return { ok: false, refusal };
  }
  return { ok: true, steps: planner.steps, notes: planner.notes };
}

/** A path as earlier sections leave it. */
type Planned =
  | { readonly kind: "absent" }
  /** `text` is `undefined` as long as the content is that of `source`. */
  | { readonly kind: "file"; readonly source: string; readonly text: string | undefined };

class Planner {
  readonly steps: PatchStep[] = [];
  readonly notes: string[] = [];
  readonly #context: PlanContext;
  readonly #planned = new Map<string, Planned>();

  constructor(context: PlanContext) {
    this.#context = context;
  }

  async plan(file: FilePatch): Promise<Refusal | undefined> {
    switch (file.action) {
      case "add":
        return await this.#planAddition(file);
      case "delete":
        return await this.#planDeletion(file);
      case "update":
        return await this.#planUpdate(file);
    }
  }

  async #planAddition({ path, content, mode }: Extract<FilePatch, { action: "add" }>): Promise<Refusal | undefined> {
    if (await this.#isTaken(path)) return failure(editToolMessages.existingFile(path));
    this.steps.push({ do: "create", path, text: content });
    if (mode !== undefined) this.steps.push({ do: "set-mode", path, mode });
    this.#planned.set(await this.#keyOf(path), { kind: "file", source: path, text: content });
    return undefined;
  }

  async #planDeletion({ path, hunks }: Extract<FilePatch, { action: "delete" }>): Promise<Refusal | undefined> {
    const file = await this.#find(path);
    if (!file.ok) return file.refusal;
    if (hunks.length > 0) {
      const changed = await this.#change(path, file.planned, hunks);
      if (!changed.ok) return changed.refusal;
      if (changed.text !== "") return failure(editToolMessages.notEmptyAfterDelete(path));
    } else if (file.planned.text === undefined) {
      const stale = await findStaleness({ path: file.planned.source, action: "delete" }, this.#context);
      if (stale !== undefined) return stale;
    }
    this.steps.push({ do: "remove", path });
    this.#planned.set(await this.#keyOf(path), { kind: "absent" });
    return undefined;
  }

  async #planUpdate(file: Extract<FilePatch, { action: "update" }>): Promise<Refusal | undefined> {
    const { path, to, hunks, mode } = file;
    const found = await this.#find(path, { followLink: to === undefined });
    if (!found.ok) return found.refusal;
    let { planned } = found;
    if (hunks.length > 0) {
      const changed = await this.#change(path, planned, hunks);
      if (!changed.ok) return changed.refusal;
      planned = { ...planned, text: changed.text };
    }
    const target = to ?? path;
    if (to !== undefined) {
      if (await this.#isTaken(to)) return failure(editToolMessages.existingMoveTarget(path, to));
      this.steps.push({ do: "rename", from: path, to });
      this.#planned.set(await this.#keyOf(path), { kind: "absent" });
    }
    if (hunks.length > 0 && planned.text !== undefined)
      this.steps.push({ do: "edit", path: target, text: planned.text });
    if (mode !== undefined) this.steps.push({ do: "set-mode", path: target, mode });
    this.#planned.set(await this.#keyOf(target), planned);
    return undefined;
  }

  /** Whether something is at a path; a path below a file is an error at once. */
  async #isTaken(path: string): Promise<boolean> {
    if (isWholeWorkspace(path)) throw pathError("is-a-directory", { action: "patch", path });
    const key = await this.#keyOf(path);
    const parts = key.split("/");
    for (let length = 1; length < parts.length; length += 1) {
      const parent = this.#planned.get(parts.slice(0, length).join("/"));
      if (parent?.kind === "file") throw pathError("not-a-directory", { action: "patch", path });
    }
    const planned = this.#planned.get(key);
    if (planned !== undefined) return planned.kind === "file";
    return (await findEntry(this.#context.workspace, path)) !== undefined;
  }

  async #find(path: string, { followLink = false } = {}): Promise<Found> {
    const planned = this.#planned.get(await this.#keyOf(path));
    if (planned?.kind === "absent") return { ok: false, refusal: failure(editToolMessages.goneBefore(path)) };
    if (planned !== undefined) return { ok: true, planned };
    const { workspace } = this.#context;
    const { type } = followLink ? await workspace.stat(path) : await workspace.lstat(path);
    if (type !== "file") return { ok: false, refusal: failure(editToolMessages.directoryOrLink(path, type)) };
    return { ok: true, planned: { kind: "file", source: path, text: undefined } };
  }

  /** One file has one key, by whatever symlinks it is named; what is not there yet has its parent's and its name. */
  async #keyOf(path: string): Promise<string> {
    const normal = normalizePath(path);
    try {
      return await this.#context.workspace.realPath(normal);
    } catch (error) {
      const isMissing = error instanceof WorkspacePathError && error.reason === "not-found";
      if (!isMissing || normal === "") throw error;
      const parent = await this.#keyOf(parentPath(normal));
      return childPath(parent, normal.slice(normal.lastIndexOf("/") + 1));
    }
  }

  async #change(path: string, planned: PlannedFile, hunks: readonly Hunk[]): Promise<Changed> {
    const before =
      planned.text === undefined
        ? await readEditableText(planned.source, this.#context)
        : { ok: true as const, text: planned.text };
    if (!before.ok) return before;
    const applied = applyHunks(path, before.text, hunks);
    if (!applied.ok) return { ok: false, refusal: failure(applied.problem) };
    this.notes.push(...applied.notes);
    return { ok: true, text: applied.text };
  }
}

type PlannedFile = Extract<Planned, { kind: "file" }>;
type Found = { readonly ok: true; readonly planned: PlannedFile } | { readonly ok: false; readonly refusal: Refusal };
type Changed = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly refusal: Refusal };

function failure(error: string): Refusal {
  return { success: false, error };
}
