import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCommandAnalyser } from "../../../src/gate/command/analyse-command.ts";
import { isListed, isUncertain } from "./listed.ts";
import { commandLine, damagedLine } from "./random-commands.ts";
import { RECORDED, traceCommands } from "./traced-bash.ts";

describe("analyseCommand()", () => {
  const cases = Number(process.env["COFFERDAM_DIFFERENTIAL_CASES"] ?? 2_600);
  // Fixed, so that a change makes it fail and not chance; another seed looks for what nobody has found yet.
  const seed = Number(process.env["COFFERDAM_DIFFERENTIAL_SEED"] ?? 709_411_965);

  it.each([
    ["from a grammar", commandLine, 0.6],
    ["that are damaged", damagedLine, 0.85],
  ] as const)(
    "lists every program that bash runs, or says that it cannot, for lines %s",
    async (title, arbitrary, maxOpaque) => {
      const lines = fc.sample(arbitrary, { seed, numRuns: cases }).filter((line) => !line.includes("\0"));
      const directory = await mkdtemp(join(tmpdir(), "cofferdam-differential-"));
      try {
        const analyse = await createCommandAnalyser();
        const traces = await traceCommands(lines, directory);
        const analyses = lines.map(analyse);
        const missed = lines.flatMap((line, index) => {
          const programs = (traces[index] ?? []).filter((program) => !isListed(program, analyses[index]!));
          return programs.length === 0 ? [] : [{ line, programs }];
        });
        const uncertain = analyses.filter(isUncertain).length;
        const ran = traces.reduce((sum, trace) => sum + trace.length, 0);
        // oxlint-disable-next-line no-console -- the seed is what a failure is repeated with
        console.log(`${lines.length} lines ${title}, seed ${seed}: ${ran} programs ran, ${uncertain} lines uncertain`);
        expect(missed).toEqual([]);
        expect(ran).toBeGreaterThan(lines.length / 4);
        expect(uncertain / lines.length).toBeLessThan(maxOpaque);
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    },
    900_000,
  );
});

describe("traceCommands()", () => {
  it("tells the programs and arguments of each line apart", async () => {
    const directory = await mkdtemp(join(tmpdir(), "cofferdam-differential-"));
    try {
      const lines = ['git push; sh -c \'npm "a b"\' & rm "$(ls)"', "x=1", "echo git | xargs -n1 p1"];
      const traces = await traceCommands(lines, directory);
      expect(traces.map((trace) => trace.map((each) => each.join(" ")).toSorted())).toEqual([
        ["git push", "ls", "npm a b", "rm "],
        [],
        ["p1 git"],
      ]);
      expect(RECORDED).toContain("git");
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});
