#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { watchInterruption } from "./interruption.ts";
import { hasPipedInput } from "./piped-input.ts";
import { runProgram } from "./program.ts";
import { createClackPrompts } from "./terminal/clack-prompts.ts";
import { openOutputStream } from "./terminal/output-stream.ts";

/*
 * The bin. It gives the commands the real process, and loads the engine only when a command opens it: `--help`, `--version`
 * and a mistake on the command line are answered at once.
 */

const { env, stdin, stdout, stderr, argv } = process;
const out = openOutputStream(stdout, env);
const err = openOutputStream(stderr, env);

const exitCode = await runProgram(argv.slice(2), readVersion(), {
  openEngine: async (options) => {
    const { createEngine } = await import("../engine.ts");
    return await createEngine(options);
  },
  buildImage: async (options) => {
    const { buildImage } = await import("../sandbox/images/build-image.ts");
    return await buildImage(options);
  },
  removeOrphans: async () => {
    const { removeBubblewrapLeftovers } = await import("../sandbox/bubblewrap/remove-leftovers.ts");
    await removeBubblewrapLeftovers();
    const { removeOrphans } = await import("../sandbox/docker/remove-orphans.ts");
    return await removeOrphans();
  },
  out,
  err,
  readStdin: async () => await text(stdin),
  hasPipedInput: () => hasPipedInput(0),
  isInteractive: stdin.isTTY && err.isTerminal,
  prompts: createClackPrompts(stdin, stderr),
  environment: env,
  watchInterruption: () => watchInterruption(process, { out, err }),
});

await out.flush();
await err.flush();
// Everything has been settled and closed; a handle that a library keeps open must not keep the person waiting.
process.exit(exitCode);

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  const hasVersion = typeof manifest === "object" && manifest !== null && "version" in manifest;
  return hasVersion ? String(manifest.version) : "unknown";
}
