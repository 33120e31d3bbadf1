import { afterAll, describe, expect, it } from "vitest";

import { createBubblewrapBackend } from "../../src/sandbox/bubblewrap/bubblewrap-backend.ts";
import { createIsolateBackend } from "../../src/sandbox/isolate/isolate-backend.ts";
import { createVirtualBackend } from "../../src/sandbox/virtual/virtual-backend.ts";
import { describeWithBubblewrap } from "../sandbox/bubblewrap/fixture.ts";
import { assertNoChildren } from "../sandbox/child-processes.ts";
import { describeWithEngine } from "../sandbox/docker/engine-available.ts";
import { assertNothingLeft, testBackend } from "../sandbox/docker/fixture.ts";
import { stopMany } from "./stop-many.ts";

/** How fast it is, the program says: other tests run beside this one. */
const NOTHING_LEFT = { unexpected: [], survivors: 0, left: [] };

describe("stopMany()", () => {
  afterAll(assertNoChildren);

  it.each([
    ["virtual", createVirtualBackend()],
    ["isolate", createIsolateBackend()],
  ])("finds nothing of hostile commands in %s", async (_name, backend) => {
    expect(await stopMany(backend, 6)).toMatchObject(NOTHING_LEFT);
  });
});

describeWithBubblewrap("stopMany() in bubblewrap", () => {
  it("stopMany() finds nothing of hostile commands", async () => {
    expect(await stopMany(createBubblewrapBackend(), 7)).toMatchObject(NOTHING_LEFT);
  });
});

describeWithEngine("stopMany() in docker", () => {
  it("stopMany() finds nothing of hostile commands", async () => {
    expect(await stopMany(testBackend(), 7)).toMatchObject(NOTHING_LEFT);
    await assertNothingLeft();
  });
});
