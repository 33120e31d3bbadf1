import { readdir, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";

const folder = new URL("./", import.meta.url);
const page = await readFile(new URL("../../docs/seeds.md", import.meta.url), "utf8");

/** Line id to state, as docs/seeds.md says it; of a trap, what holds here. */
const states = new Map(
  [...page.matchAll(/^\| (?<id>[A-Z]{2}-\d\d) +\| .*? \| (?<state>[^|]+?) *\|$/gm)].map(({ groups }) => [
    groups?.["id"] ?? "",
    groups?.["state"] ?? "",
  ]),
);

function lineIds(): readonly string[] {
  return [...states.keys()].filter((id) => !id.startsWith("TR"));
}

async function testedIds(): Promise<ReadonlySet<string>> {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".test.ts"));
  const texts = await Promise.all(files.map(async (name) => await readFile(new URL(name, folder), "utf8")));
  return new Set(
    [...texts.join("\n").matchAll(/^\s+"?(?:it\()?"(?<id>[A-Z]{2}-\d\d) /gm)].map(({ groups }) => groups?.["id"] ?? ""),
  );
}

describe("docs/seeds.md", () => {
  it("lists all 151 lines, each with a state", () => {
    const counts = { CH: 40, EC: 47, AL: 33, SW: 31 };
    const ids = Object.entries(counts).flatMap(([system, count]) =>
      Array.from({ length: count }, (_, index) => `${system}-${String(index + 1).padStart(2, "0")}`),
    );
    expect(lineIds()).toEqual(ids);
    for (const state of lineIds().map((id) => states.get(id)))
      expect(state).toMatch(/^(?:covered|in part: .+|not taken: .+)(?:$|[;,:]? )/);
  });

  it("calls exactly those lines covered, wholly or in part, that have a test", async () => {
    const called = [...states]
      .filter(([, state]) => /^(?:covered|in part)/.test(state))
      .map(([id]) => id)
      .toSorted();
    const tested = [...(await testedIds())].filter((id) => !id.startsWith("TR"));
    expect(tested.toSorted()).toEqual(called);
  });

  it("lists exactly those traps that have a test", async () => {
    const tested = [...(await testedIds())].filter((id) => id.startsWith("TR"));
    expect(tested.toSorted()).toEqual([...states.keys()].filter((id) => id.startsWith("TR")));
  });

  it("leaves at most one line in ten out on purpose", () => {
    const left = [...states.values()].filter((state) => state.startsWith("not taken"));
    expect(left.length).toBeLessThanOrEqual(15);
  });
});
