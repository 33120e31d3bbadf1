import { readFileSync, writeFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { LandingConflictError } from "../../src/errors/landing-conflict-error.ts";
import { makeFixture } from "./support/workspace-fixture.ts";

describe("land() and discard()", () => {
  const fill = (root: string): void => writeFileSync(`${root}/notes.txt`, "notes\n");
  const moved = (action: string) =>
    new LandingConflictError(
      `Cannot ${action}: calls have changed the workspace since it was reviewed; look at the diff again`,
      { conflicts: [] },
    );

  it("take along nothing that a call keeps while they wait for it", async () => {
    await using fixture = await makeFixture(fill);
    await using workspace = await fixture.open();
    const reviewed = await workspace.beginLayer({ callId: "reviewed" });
    await reviewed.files.writeFile("notes.txt", "reviewed\n");
    await reviewed.keep();

    const running = await workspace.beginLayer({ callId: "running" });
    await running.files.writeFile("Makefile", "unseen\n");
    const waiting = Promise.allSettled([workspace.land(), workspace.discard()]);
    await running.keep();

    expect(await waiting).toEqual([
      { status: "rejected", reason: moved("land changes") },
      { status: "rejected", reason: moved("discard changes") },
    ]);

    expect(readFileSync(`${fixture.root}/notes.txt`, "utf8")).toBe("notes\n");
    expect((await workspace.changes()).map(({ path }) => path)).toEqual(["Makefile", "notes.txt"]);
  });

  it("refuse a revision that is no longer the present one, and take the present one", async () => {
    await using fixture = await makeFixture(fill);
    await using workspace = await fixture.open();
    const first = await workspace.revision();
    const draft = await workspace.beginLayer({ callId: "call-1" });
    await draft.files.writeFile("notes.txt", "new\n");
    await draft.keep();

    await expect(workspace.land({ revision: first })).rejects.toThrow(moved("land changes"));
    await expect(workspace.discard({ revision: first })).rejects.toThrow(moved("discard changes"));
    await workspace.land({ revision: await workspace.revision() });
    expect(readFileSync(`${fixture.root}/notes.txt`, "utf8")).toBe("new\n");
  });
});
