import { describe, expect, it } from "vitest";
import type { ReadableWorkspace } from "../../src/contract/workspace.ts";
import { WorkspacePathError } from "../../src/errors/workspace-path-error.ts";
import { type TreeStep, type WalkOptions, walkTree } from "../../src/tools/walk-tree.ts";
import { createToolScratch } from "./tool-scratch.ts";

async function walk(workspace: ReadableWorkspace, options: Partial<WalkOptions> = {}): Promise<readonly string[]> {
  const signal = new AbortController().signal;
  const steps = await Array.fromAsync(walkTree(workspace, { start: "", signal, maxEntries: 100, ...options }));
  return steps.map(describeStep);
}

function describeStep(step: TreeStep): string {
  return step.kind === "limit" ? "limit" : `${step.kind} ${step.entry.depth} ${step.entry.type} ${step.entry.path}`;
}

const FILES = { "b/x": "", "b/c/y": "", "a.txt": "", link: { target: "b" } };

describe("walkTree()", () => {
  it("gives a directory before what is in it, sorted, and follows no symlink", async () => {
    await using scratch = await createToolScratch(FILES);
    expect(await walk(scratch.draft)).toEqual([
      "entry 1 file a.txt",
      "entry 1 directory b",
      "entry 2 directory b/c",
      "entry 3 file b/c/y",
      "entry 2 file b/x",
      "entry 1 symlink link",
    ]);
  });

  it("starts where it is told, and ends at a depth", async () => {
    await using scratch = await createToolScratch(FILES);
    expect(await walk(scratch.draft, { start: "b" })).toEqual([
      "entry 1 directory b/c",
      "entry 2 file b/c/y",
      "entry 1 file b/x",
    ]);
    expect(await walk(scratch.draft, { maxDepth: 1 })).toEqual([
      "entry 1 file a.txt",
      "entry 1 directory b",
      "entry 1 symlink link",
    ]);
  });

  it("says which directory is left out", async () => {
    await using scratch = await createToolScratch(FILES);
    expect(await walk(scratch.draft, { isLeftOut: ({ name }) => name === "c" })).toContain("left-out 2 directory b/c");
  });

  it("says that there is more when it ends at the limit, and only then", async () => {
    await using scratch = await createToolScratch(FILES);
    expect(await walk(scratch.draft, { maxEntries: 1 })).toEqual(["entry 1 file a.txt", "limit"]);
    expect(await walk(scratch.draft, { maxEntries: 6 })).not.toContain("limit");
  });

  it("goes on after a directory that cannot be read, and fails for other errors", async () => {
    await using scratch = await createToolScratch(FILES);
    const failing = (error: Error): ReadableWorkspace => ({
      ...scratch.draft,
      readDirectory: async (path) => {
        if (path === "b") throw error;
        return await scratch.draft.readDirectory(path);
      },
    });
    const gone = new WorkspacePathError("gone", { reason: "not-found", path: "b" });
    expect(await walk(failing(gone))).toEqual([
      "entry 1 file a.txt",
      "entry 1 directory b",
      "unreadable 1 directory b",
      "entry 1 symlink link",
    ]);
    await expect(walk(failing(new Error("disk")))).rejects.toThrow("disk");
    await expect(walk(failing(gone), { start: "b" })).rejects.toThrow("gone");
  });

  it("walks a deep tree without exhausting the stack", async () => {
    await using scratch = await createToolScratch({ [`${"d/".repeat(1_000)}x`]: "" });
    expect(await walk(scratch.draft, { maxEntries: 2_000 })).toHaveLength(1_001);
  });

  it("reads a few directories ahead and never more than eight", async () => {
    const files = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`d${index}/x`, ""]));
    await using scratch = await createToolScratch(files);
    let running = 0;
    let most = 0;
    const counting: ReadableWorkspace = {
      ...scratch.draft,
      readDirectory: async (path) => {
        running += 1;
        most = Math.max(most, running);
        const entries = await scratch.draft.readDirectory(path);
        running -= 1;
        return entries;
      },
    };
    expect(await walk(counting, { maxEntries: 1_000 })).toHaveLength(200);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(9);
  });

  it("throws the reason when it is aborted between two entries", async () => {
    await using scratch = await createToolScratch(FILES);
    const controller = new AbortController();
    const seen: string[] = [];
    const walking = async () => {
      for await (const step of walkTree(scratch.draft, { start: "", signal: controller.signal, maxEntries: 10 })) {
        seen.push(describeStep(step));
        controller.abort(new Error("enough"));
      }
    };
    await expect(walking()).rejects.toThrow("enough");
    expect(seen).toEqual(["entry 1 file a.txt"]);
  });
});
