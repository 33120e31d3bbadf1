import { afterEach } from "vitest";

import { createIsolateBackend } from "../../src/sandbox/isolate/isolate-backend.ts";
import { assertNoChildren } from "../sandbox/child-processes.ts";
import { holdToContract } from "./hold-to-contract.ts";

afterEach(assertNoChildren);

await holdToContract("isolate", createIsolateBackend(), { leavesOut: ["runs no shell commands", "runs no images"] });
