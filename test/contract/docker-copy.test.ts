import { afterAll } from "vitest";

import { assertNothingLeft, testBackend } from "../sandbox/docker/fixture.ts";
import { holdToContract } from "./hold-to-contract.ts";

afterAll(async () => {
  await assertNothingLeft();
});

await holdToContract("docker, workspace by copy", testBackend({ workspace: "copy" }), {
  leavesOut: ["runs images", "lets single hosts through", "runs no javascript commands", "enforces every limit"],
});
