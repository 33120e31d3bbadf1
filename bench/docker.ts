/**
 * A `shell` dispatch on the docker backend (fresh layer, overlay volume, container, look for survivors, read the layer
 * back), against raw dockerode: create, start, wait and remove a container of the same image.
 */

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Docker from "dockerode";
import { Bench } from "tinybench";
import { createEngine } from "../src/engine.ts";
import { printRatios } from "./print-ratios.ts";

const image = process.env["COFFERDAM_BENCH_IMAGE"] ?? "cofferdam-sandbox:latest";
const directory = await mkdtemp(join(tmpdir(), "cofferdam-bench-"));
await mkdir(join(directory, "root"));
const engine = await createEngine({
  root: join(directory, "root"),
  stateHome: join(directory, "state"),
  sandbox: { backend: "docker", image },
  reviewer: () => ({ decision: "approve" }),
  // The same command is what is measured.
  maxRepeats: 1_000,
});
const docker = new Docker();

const bench = new Bench({ name: "docker", iterations: 20, time: 0, warmupIterations: 2, warmupTime: 0 });
bench
  .add("cofferdam docker dispatch", async () => {
    const result = await engine.dispatch({ id: "1", name: "shell", input: { command: "true" } });
    if (!result.success) throw new Error(result.error);
  })
  .add("raw create, start, wait, remove", async () => {
    const container = await docker.createContainer({
      Image: image,
      Cmd: ["bash", "-c", "true"],
      HostConfig: { NetworkMode: "none" },
    });
    await container.start();
    await container.wait();
    await container.remove();
  });
await bench.run();
printRatios(bench);

await engine[Symbol.asyncDispose]();
await rm(directory, { recursive: true });
