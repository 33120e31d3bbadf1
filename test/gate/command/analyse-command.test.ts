import { describe, expect, it } from "vitest";
import { createCommandAnalyser } from "../../../src/gate/command/analyse-command.ts";

describe("analyseCommand()", () => {
  it.each(['gi$""t push', './$""p1 -rf', '$"git" push'])(
    "does not vouch for the string for translation in %s",
    async (line) => {
      const analyse = await createCommandAnalyser();
      expect(analyse(line)).toMatchObject({
        kind: "analysed",
        parts: expect.arrayContaining([
          expect.objectContaining({ kind: "opaque", reason: "bash may read a string for translation differently" }),
        ]),
      });
    },
  );

  it.each(["echo $(( $[", "tee $(( $[&&(ls) + 1 ))", "sh -c 'echo $(( $[ ))'; sh -c 'echo $(( $[ ))'"])(
    "gives up on %s, which its parser never comes to the end of",
    async (line) => {
      const analyse = await createCommandAnalyser();
      expect(analyse(line)).toEqual({ kind: "too-large", reason: "it takes too long to read" });
      // And reads the next one as if nothing had been.
      expect(analyse("git status")).toMatchObject({ kind: "analysed", parts: [{ kind: "command", program: "git" }] });
    },
  );
});
