import { describe, expect, it } from "vitest";
import { countChanges, renderChanges } from "../../../src/cli/terminal/render-changes.ts";
import { change } from "../test-context.ts";

const PLAIN = { hasColour: false };

describe("renderChanges()", () => {
  it("lists each change with its kind, type and former name", () => {
    const changes = [
      change("added", "docs", { type: "directory" }),
      change("added", "docs/new.md", { from: "old.md" }),
      change("modified", "a\n.ts"),
      change("replaced", "link", { type: "symlink" }),
      change("mode-changed", "run.sh"),
      change("deleted", "old.md"),
    ];
    expect(renderChanges(changes, PLAIN)).toBe(
      [
        "  added         docs/\n",
        "  added         docs/new.md (from old.md)\n",
        "  modified      a\\n.ts\n",
        "  replaced      link (symlink)\n",
        "  mode-changed  run.sh\n",
        "  deleted       old.md\n",
      ].join(""),
    );
  });

  it("lists every deletion and sums up other kinds beyond 40", () => {
    const added = Array.from({ length: 45 }, (_, index) => change("added", `new/${index}`));
    const deleted = Array.from({ length: 300 }, (_, index) => change("deleted", `old/${index}`));
    const lines = renderChanges([...added, change("modified", "x"), ...deleted], PLAIN).split("\n");
    expect(lines).toEqual([
      ...added.slice(0, 40).map(({ path }) => `  added         ${path}`),
      ...deleted.map(({ path }) => `  deleted       ${path}`),
      "  … and 6 changes (5 added, 1 modified)",
      "",
    ]);
  });
});

describe("countChanges()", () => {
  it("counts by kind", () => {
    const changes = [change("deleted", "a"), change("added", "b"), change("deleted", "c")];
    expect(countChanges(changes)).toBe("3 changes (1 added, 2 deleted)");
    expect(countChanges(changes.slice(1, 2))).toBe("1 change (1 added)");
    expect(countChanges([])).toBe("0 changes");
  });
});
