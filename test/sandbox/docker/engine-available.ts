import { describe, it } from "vitest";

import { connectDocker } from "../../../src/sandbox/docker/connect-docker.ts";
import { readEngineFacts } from "../../../src/sandbox/docker/engine-facts.ts";
import { findImage } from "../../../src/sandbox/docker/resolve-image.ts";

/** A small image with bash, coreutils and perl: enough wherever the image does not matter. */
export const TEST_IMAGE = "debian:bookworm-slim";

/** Why there can be no test with a real Engine here; `undefined` when there can. */
const missing = await findWhatIsMissing();

/** A suite that needs an Engine: skipped with the reason where none answers, and failed there in CI. */
export function describeWithEngine(title: string, suite: () => void): void {
  if (missing === undefined) {
    describe(title, suite);
  } else if (process.env["CI"] === "true") {
    it(title, () => {
      throw new Error(`Cannot test ${title}: ${missing}; run test/setup.sh as root`);
    });
  } else {
    describe.skip(`${title} (skipped: ${missing}; run test/setup.sh as root)`, suite);
  }
}

async function findWhatIsMissing(): Promise<string | undefined> {
  const docker = await connectDocker();
  const state = await readEngineFacts(docker);
  if (!state.usable) return state.reason;
  return (await findImage(docker, TEST_IMAGE)) === undefined ? `no image ${TEST_IMAGE}` : undefined;
}
