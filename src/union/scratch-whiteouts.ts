import { mkdir, rm } from "node:fs/promises";

import { temporaryPath } from "./draft-upper.ts";
import { createWhiteoutMaker, type WhiteoutMaker } from "./whiteouts.ts";

/** A maker of whiteouts for one scan. Its device lies in the upper directory itself until it is disposed of. */
export function openScratchWhiteouts(upper: string): WhiteoutMaker & AsyncDisposable {
  const directory = temporaryPath(upper);
  let isMade = false;
  const maker = createWhiteoutMaker({ directory });
  return {
    async place(hostPath) {
      isMade = true;
      await mkdir(directory, { recursive: true });
      return maker.place(hostPath);
    },
    // The names that were linked to the device keep it.
    [Symbol.asyncDispose]: async () => {
      // Where nothing was made, nothing can fail, and no failure of the scan is covered by another one.
      if (isMade) await rm(directory, { recursive: true, force: true });
    },
  };
}
