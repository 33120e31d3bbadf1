import { access } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { ConfigurationError } from "../../errors/configuration-error.ts";
import { missingDockerfile } from "../../errors/messages/cli.ts";
import type { CommandContext } from "../command-context.ts";
import { EXIT, exitCodeOfSignal } from "../exit-code.ts";
import { choiceOption } from "../options/choice-option.ts";
import { newCommand } from "../new-command.ts";
import { escapeText } from "../terminal/escape-text.ts";

interface BuildFlags {
  readonly image?: string;
  readonly base?: string;
  readonly dockerfile: string;
  readonly network?: "host";
}

/** `cofferdam images`: what the docker sandbox runs. */
export function imagesCommand(context: CommandContext): Command {
  const images = newCommand(context, "images", {
    summary: "build the image that the docker sandbox runs",
    description: "Builds the image that the docker sandbox runs.",
    example: "cofferdam images build",
  });
  const build = newCommand(context, "build", {
    summary: "build the sandbox image with the Docker Engine",
    description:
      "Builds the image that the docker sandbox runs, by default from the Dockerfile.sandbox that comes with Cofferdam. Its id is printed when it is done.",
    example: "cofferdam images build --base debian:bookworm-slim",
  });
  build
    .option("--image <tag>", "name of the image that is built")
    .option("--base <ref>", "image to start from")
    .option("--dockerfile <file>", "what to build", OWN_DOCKERFILE)
    .addOption(
      choiceOption("--network <mode>", "network of the build steps: host, where a mirror is reached from there only", [
        "host",
      ]),
    )
    .action(async (flags: BuildFlags) => await buildSandboxImage(context, flags));
  return images.addCommand(build);
}

/** At the top of the package, as seen from `src/cli/commands` and from `dist/cli/commands`. */
const OWN_DOCKERFILE = fileURLToPath(new URL("../../../Dockerfile.sandbox", import.meta.url));

async function buildSandboxImage(context: CommandContext, flags: BuildFlags): Promise<void> {
  const { out, err, buildImage } = context;
  await assertReadable(flags.dockerfile);
  using interruption = context.watchInterruption();
  try {
    const built = await buildImage({
      ...flags,
      onProgress: (line) => err.write(`${escapeText(line, { keep: "tabs" })}\n`),
      signal: interruption.signal,
    });
    err.write(`Built ${escapeText(built.tag)}\n`);
    out.write(`${escapeText(built.imageId)}\n`);
    context.setExitCode(EXIT.success);
  } catch (error) {
    const cause = interruption.cause();
    if (cause === undefined) throw error;
    // The build failed because it was told to stop, which has been said already.
    context.setExitCode(exitCodeOfSignal(cause));
  }
}

async function assertReadable(file: string): Promise<void> {
  try {
    await access(file);
  } catch (error) {
    throw new ConfigurationError(missingDockerfile(file), { cause: error });
  }
}
