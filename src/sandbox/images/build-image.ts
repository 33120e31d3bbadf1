import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";

import type { Pack } from "tar-stream";
import { pack } from "tar-stream";

import { dockerMessages } from "../../errors/messages/docker.ts";
import { ConfigurationError } from "../../errors/configuration-error.ts";
import { SandboxUnavailableError } from "../../errors/sandbox-unavailable-error.ts";
import { callEngine, describeFailure } from "../docker/call-engine.ts";
import { connectDocker } from "../docker/connect-docker.ts";
import { DEFAULT_IMAGE } from "./default-image.ts";

/** How much of a failing step's output goes into the error. */
const SHOWN_LINES = 20;

/** What the build may know of the environment: how to reach a mirror, and nothing else. */
const PASSED_ON = ["http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];

/** How to build an image. */
export interface BuildImageOptions {
  /** @default "cofferdam-sandbox:latest" */
  readonly image?: string;
  /** Path of the Dockerfile. It is the whole build context. */
  readonly dockerfile: string;
  /** What the Dockerfile's `ARG BASE` becomes. */
  readonly base?: string;
  /** Network of the build steps. @default the Engine's own default */
  readonly network?: "host";
  /** Hears each line of the build. */
  readonly onProgress?: (line: string) => void;
  readonly signal?: AbortSignal;
  /** @default `DOCKER_HOST`, else the usual socket */
  readonly dockerHost?: string;
}

/** An image that has been built. */
export interface BuiltImage {
  readonly imageId: string;
  readonly tag: string;
}

/**
 * Builds an image with the Engine's own builder.
 * @throws ConfigurationError when the Dockerfile cannot be read.
 * @throws SandboxUnavailableError when the Engine does not answer, a step fails (with its last lines) or it is cancelled.
 */
export async function buildImage(options: BuildImageOptions): Promise<BuiltImage> {
  const tag = options.image ?? DEFAULT_IMAGE;
  const context = await packContext(options.dockerfile);
  const docker = await connectDocker(options.dockerHost);
  const assertWanted = (): void => {
    if (options.signal?.aborted === true) throw new SandboxUnavailableError(dockerMessages.buildCancelled(tag));
  };
  assertWanted();
  await callEngine(`build image "${tag}"`, () => docker.ping());
  try {
    const output = await docker.buildImage(Readable.from(context), {
      t: tag,
      dockerfile: "Dockerfile",
      buildargs: buildArguments(options.base),
      rm: true,
      forcerm: true,
      ...(options.network === undefined ? {} : { networkmode: options.network }),
      ...(options.signal === undefined ? {} : { abortSignal: options.signal }),
    });
    // The Engine stops building when the connection closes.
    // A response of Node's own http module is a stream of the new kind.
    await followBuild(output as Readable, { tag, onProgress: options.onProgress ?? (() => undefined) });
  } catch (error) {
    assertWanted();
    if (error instanceof SandboxUnavailableError) throw error;
    const message = dockerMessages.engineFailed(`build image "${tag}"`, describeFailure(error));
    throw new SandboxUnavailableError(message, { cause: error });
  }
  const { Id } = await callEngine("look up the image", () => docker.getImage(tag).inspect());
  return { imageId: Id, tag };
}

async function packContext(dockerfile: string): Promise<Pack> {
  let content: Buffer;
  try {
    content = await readFile(dockerfile);
  } catch (error) {
    throw new ConfigurationError(dockerMessages.dockerfileUnreadable(dockerfile), { cause: error });
  }
  const context = pack();
  context.entry({ name: "Dockerfile" }, content);
  context.finalize();
  return context;
}

function buildArguments(base: string | undefined): Record<string, string> {
  const passedOn = PASSED_ON.flatMap((name) => {
    const value = process.env[name];
    return value === undefined || value === "" ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(passedOn), ...(base === undefined ? {} : { BASE: base }) };
}

/** Reads the build's lines of JSON to their end. */
async function followBuild(
  output: Readable,
  options: { readonly tag: string; readonly onProgress: (line: string) => void },
): Promise<void> {
  let step = "the build";
  let stepLines: string[] = [];
  const hear = (line: string): void => {
    const started = /^Step \d+\/\d+/.exec(line);
    if (started !== null) {
      step = `"${line}"`;
      stepLines = [];
    } else {
      stepLines = [...stepLines.slice(-(SHOWN_LINES - 1)), line];
    }
    options.onProgress(line);
  };
  for await (const text of createInterface({ input: output })) {
    if (text.trim() === "") continue;
    const { lines, failure } = readBuildEvent(text);
    lines.forEach(hear);
    if (failure !== undefined) {
      const said = [failure, ...stepLines].join("\n");
      throw new SandboxUnavailableError(dockerMessages.buildFailed(options.tag, step, said));
    }
  }
}

function readBuildEvent(text: string): { readonly lines: readonly string[]; readonly failure?: string } {
  const event: unknown = JSON.parse(text);
  if (typeof event !== "object" || event === null) return { lines: [] };
  const failure = "error" in event && typeof event.error === "string" ? event.error : undefined;
  const output = "stream" in event && typeof event.stream === "string" ? event.stream : "";
  const status = "status" in event && typeof event.status === "string" ? event.status : "";
  const lines = `${output}\n${status}`.split(/[\r\n]+/).filter((line) => line.trim() !== "");
  return failure === undefined ? { lines } : { lines, failure };
}
