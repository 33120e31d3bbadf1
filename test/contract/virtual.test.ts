import { afterEach } from "vitest";

import { createVirtualBackend } from "../../src/sandbox/virtual/virtual-backend.ts";
import { assertNoChildren } from "../sandbox/child-processes.ts";
import { holdToContract } from "./hold-to-contract.ts";

afterEach(assertNoChildren);

await holdToContract("virtual", createVirtualBackend(), {
  leavesOut: [
    "runs no real programs",
    "runs no images",
    "runs no javascript commands",
    "gives output only when the command has ended",
  ],
});
