import { beforeAll, describe } from "vitest";

import { connectDocker } from "../../../src/sandbox/docker/connect-docker.ts";
import { readEngineFacts } from "../../../src/sandbox/docker/engine-facts.ts";
import { findImage } from "../../../src/sandbox/docker/resolve-image.ts";
import { TEST_IMAGE } from "./test-image.ts";

/** Why there can be no test with a real Engine here; `undefined` when there can. */
const missing = await findWhatIsMissing();

/** A suite that needs an Engine: skipped with the reason where none answers, and failed there in CI. */
export function describeWithEngine(title: string, suite: () => void): void {
  const isSkipped = missing !== undefined && process.env["CI"] !== "true";
  const reason = isSkipped ? ` (skipped: ${missing}; run test/setup.sh as root)` : "";
  describe.skipIf(isSkipped)(`${title}${reason}`, () => {
    beforeAll(() => {
      if (missing !== undefined) throw new Error(`Cannot test ${title}: ${missing}; run test/setup.sh as root`);
    });
    suite();
  });
}

async function findWhatIsMissing(): Promise<string | undefined> {
  const docker = await connectDocker();
  const state = await readEngineFacts(docker);
  if (!state.usable) return state.reason;
  return (await findImage(docker, TEST_IMAGE)) === undefined ? `no image ${TEST_IMAGE}` : undefined;
}
