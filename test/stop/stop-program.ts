import type { SandboxBackend } from "../../src/contract/sandbox.ts";
import { createBubblewrapBackend } from "../../src/sandbox/bubblewrap/bubblewrap-backend.ts";
import { createDockerBackend } from "../../src/sandbox/docker/docker-backend.ts";
import { createIsolateBackend } from "../../src/sandbox/isolate/isolate-backend.ts";
import { createVirtualBackend } from "../../src/sandbox/virtual/virtual-backend.ts";
import { currentOwner } from "../../src/state/owner.ts";
import { leftovers } from "../sandbox/docker/fixture.ts";
import { stopMany } from "./stop-many.ts";

/*
 * `npm run test:stop [-- COUNT [BACKEND…]]`: that many timeouts of hostile commands per backend, with counts of what was late
 * or left, and exit code 1 when there is anything. A backend that is not available here counts as a failure.
 */

const [count = "300", ...wanted] = process.argv.slice(2);
const backends: readonly SandboxBackend[] = [
  createVirtualBackend(),
  createIsolateBackend(),
  createBubblewrapBackend(),
  createDockerBackend({ owner: currentOwner() }),
];
for (const backend of backends.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const report = await stopMany(backend, Number(count));
  const containers = backend.name === "docker" ? await leftovers() : [];
  const { late, slowestMs, survivors, unexpected, left } = report;
  const found = { late, survivors, unexpected: unexpected.length, left: left.length, containers: containers.length };
  const counts = Object.entries(found).map(([what, number]) => `${what} ${number}`);
  process.stdout.write(`${backend.name}: ${report.commands} stopped, slowest ${slowestMs} ms, ${counts.join(", ")}\n`);
  for (const line of [...unexpected, ...left, ...containers]) process.stdout.write(`  ${line}\n`);
  if (Object.values(found).some((number) => number > 0)) process.exitCode = 1;
}
