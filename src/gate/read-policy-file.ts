/*
 * The file in the root comes with the repository, so it may be anything: a pipe that nobody writes to, a link to a file of the
 * user's, a terabyte of nothing. It is opened without waiting and without following a link in its place, and only a regular
 * file of a bounded size is read. The user's own files may be links, as dotfiles often are.
 */
import type { Stats } from "node:fs";
import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { policyFileProblems, unreadablePolicy } from "../errors/messages/gate.ts";

/** How a policy file is read. */
export interface PolicyFileOptions {
  /** Nothing there is no mistake. */
  readonly mayBeMissing: boolean;
  /** A symbolic link in the file's place is followed. */
  readonly followsLink: boolean;
}

/**
 * The text of a policy file without a byte order mark, or nothing when there is none and that is allowed.
 * @throws ConfigurationError when it cannot be read, is no regular file, is too large or is no UTF-8 text.
 */
export async function readPolicyFile(file: string, options: PolicyFileOptions): Promise<string | undefined> {
  const bytes = await readBytes(file, options);
  if (bytes === undefined) return undefined;
  try {
    // The decoder takes a byte order mark away.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new ConfigurationError(unreadablePolicy(file, policyFileProblems.notUtf8), { cause: error });
  }
}

async function readBytes(file: string, options: PolicyFileOptions): Promise<Buffer | undefined> {
  try {
    await using handle = await open(file, options.followsLink ? OPEN_FLAGS : OPEN_FLAGS | constants.O_NOFOLLOW);
    return await readRegular(file, handle);
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    if (options.mayBeMissing && (code === "ENOENT" || code === "ENOTDIR")) return undefined;
    throw new ConfigurationError(unreadablePolicy(file, describe(code, options)), { cause: error });
  }
}

/** A pipe opens at once although nobody writes to it. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;

const MAX_BYTES = 1_048_576;

async function readRegular(file: string, handle: FileHandle): Promise<Buffer> {
  const stats = await handle.stat();
  if (!stats.isFile())
    throw new ConfigurationError(unreadablePolicy(file, policyFileProblems.notRegular(kindOf(stats))));
  // One byte more than is allowed says that there is more, whatever the size was a moment ago.
  const chunks: readonly Buffer[] = await handle.createReadStream({ end: MAX_BYTES, autoClose: false }).toArray();
  const bytes = Buffer.concat(chunks);
  if (bytes.length > MAX_BYTES) throw new ConfigurationError(unreadablePolicy(file, policyFileProblems.tooLarge));
  return bytes;
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "a directory";
  return stats.isFIFO() ? "a pipe" : "a device";
}

function describe(code: string, { followsLink }: PolicyFileOptions): string {
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return policyFileProblems.missing;
    case "EACCES":
    case "EPERM":
      return policyFileProblems.notPermitted;
    case "ENXIO":
      return policyFileProblems.notRegular("a socket");
    case "ELOOP":
      return followsLink ? policyFileProblems.linksInCircle : policyFileProblems.link;
    default:
      return policyFileProblems.other(code);
  }
}
