import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { Readable } from "node:stream";

import { pack } from "tar-stream";
import { afterAll, afterEach, beforeEach, expect, it } from "vitest";

import { ConfigurationError } from "../../../src/errors/configuration-error.ts";
import { SandboxUnavailableError } from "../../../src/errors/sandbox-unavailable-error.ts";
import { connectDocker } from "../../../src/sandbox/docker/connect-docker.ts";
import type { BuildImageOptions } from "../../../src/sandbox/images/build-image.ts";
import { buildImage } from "../../../src/sandbox/images/build-image.ts";
import { describeWithEngine } from "../docker/engine-available.ts";
import { assertNothingLeft, runOnce } from "../docker/fixture.ts";
import { TEST_IMAGE } from "../docker/test-image.ts";

const TAG = `cofferdam-test-build:${process.pid}`;

describeWithEngine("images", () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "cofferdam-test-"));
  });

  afterEach(async () => {
    await rm(directory, { recursive: true });
    const docker = await connectDocker();
    await docker
      .getImage(TAG)
      .remove({ force: true })
      .catch(() => undefined);
  });

  afterAll(async () => {
    await assertNothingLeft();
  });

  async function build(dockerfile: string, options: Partial<BuildImageOptions> = {}): ReturnType<typeof buildImage> {
    const file = join(directory, "Dockerfile");
    await writeFile(file, dockerfile);
    return buildImage({ image: TAG, dockerfile: file, base: TEST_IMAGE, ...options });
  }

  it("buildImage() builds on the base that is asked for, tells its progress, and runs without bash", async () => {
    const lines: string[] = [];
    const built = await build("ARG BASE=missing:1\nFROM ${BASE}\nRUN rm -f /bin/bash && echo it is gone\n", {
      onProgress: (line) => lines.push(line),
    });
    expect(built).toStrictEqual({ imageId: expect.stringMatching(/^sha256:[0-9a-f]{64}$/), tag: TAG });
    expect(lines).toContain("Step 3/3 : RUN rm -f /bin/bash && echo it is gone");
    expect(lines).toContain("it is gone");
    const execution = await runOnce("ps -p $$ -o comm= 2>/dev/null || readlink /proc/$$/exe", {
      request: { image: TAG },
    });
    expect(execution.stdout).toBe("/usr/bin/dash\n");
    expect(execution.details).toStrictEqual({ image: TAG, imageId: built.imageId });
  });

  it("buildImage() throws with the failing step and its output", async () => {
    await expect(build("ARG BASE\nFROM ${BASE}\nRUN echo said before; exit 3\n")).rejects.toThrow(
      new SandboxUnavailableError(
        `Cannot build image "${TAG}": "Step 3/3 : RUN echo said before; exit 3" failed: The command '/bin/sh -c echo said before; exit 3' returned a non-zero code: 3\n ---> Running in`,
      ).message,
    );
  });

  it("buildImage() throws with the Engine's words when the Dockerfile is none", async () => {
    await expect(build("NONSENSE here\n")).rejects.toThrow(
      `Cannot build image "${TAG}": the Docker Engine says "dockerfile parse error line 1: unknown instruction: NONSENSE"`,
    );
  });

  it("buildImage() throws when the Dockerfile cannot be read", async () => {
    const dockerfile = join(directory, "missing");
    await expect(buildImage({ image: TAG, dockerfile })).rejects.toThrow(
      new ConfigurationError(
        `Cannot build an image: the file ${JSON.stringify(dockerfile)} cannot be read; give the path of a Dockerfile`,
      ),
    );
  });

  it("buildImage() stops when it is cancelled", async () => {
    const cancellation = new AbortController();
    const building = build("ARG BASE\nFROM ${BASE}\nRUN echo waiting; sleep 120\n", {
      signal: cancellation.signal,
      onProgress: (line) => {
        if (line === "waiting") cancellation.abort();
      },
    });
    await expect(building).rejects.toThrow(
      new SandboxUnavailableError(`Cannot build image "${TAG}": it was cancelled; start it again`),
    );
  });

  it("open() refuses an image without a shell, and runs nothing of it", async () => {
    const docker = await connectDocker();
    const archive = pack();
    archive.entry({ name: "empty" }, "");
    archive.finalize();
    const imported = await docker.importImage(Readable.from([await buffer(archive)]), {
      repo: TAG.split(":")[0],
      tag: TAG.split(":")[1],
    });
    await buffer(imported);
    await expect(runOnce("true", { request: { image: TAG } })).rejects.toThrow(
      new SandboxUnavailableError(
        `Cannot run a command in image "${TAG}": it has no /bin/sh; use an image with a shell`,
      ),
    );
  });
});
