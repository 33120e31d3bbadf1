import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import { extract } from "tar-stream";

import { incompleteUpper, opaqueTop, unreadableMarks } from "../errors/messages/layer.ts";
import { StateError } from "../errors/state-error.ts";
import { isErrno } from "./host-entry.ts";
import { pathToBytes } from "./path-bytes.ts";

/*
 * overlayfs writes into extended attributes what a tree of files cannot say: that a directory hides what lies below it
 * (opaque), that it was renamed and its content is elsewhere (redirect), that a file has a new mode but its old content
 * elsewhere (metacopy). Node cannot read extended attributes; GNU tar, which is on every Debian, can, for any
 * number of paths in one process. It is given exactly the paths that matter, without recursion, and only headers come back.
 *
 * The answers are taken in the order of the questions, because the names in an archive need not be UTF-8.
 */

/**
 * Which of these directories and files of an upper directory overlayfs has marked opaque.
 * @throws StateError when content is kept elsewhere, or tar fails: reading on would lose data.
 */
export async function readOpaqueMarks(upper: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const opaque = new Set<string>();
  // Elsewhere no kernel writes these marks.
  if (paths.length === 0 || process.platform !== "linux") return opaque;
  const headers = await readHeaders(upper, paths);
  if (headers.length !== paths.length) throw new StateError(unreadableMarks("it skipped a path"));
  for (const [index, path] of paths.entries()) {
    const marks: PaxHeaders = headers[index] ?? {};
    if (hasMark(marks, "redirect") || hasMark(marks, "metacopy")) throw new StateError(incompleteUpper(path));
    // Only "y" hides; "x" says that there are whiteouts of another kind inside.
    if (NAMESPACES.some((namespace) => marks[`${namespace}opaque`] === "y")) opaque.add(path);
  }
  if (opaque.has("")) throw new StateError(opaqueTop());
  return opaque;
}

type PaxHeaders = Readonly<Record<string, string>>;

/** Attributes that a guest sets through a mount arrive as `overlay.overlay.…`, so that these are overlayfs' own. */
const NAMESPACES = ["SCHILY.xattr.user.overlay.", "SCHILY.xattr.trusted.overlay."] as const;

function hasMark(marks: PaxHeaders, name: string): boolean {
  return NAMESPACES.some((namespace) => marks[`${namespace}${name}`] !== undefined);
}

async function readHeaders(upper: string, paths: readonly string[]): Promise<readonly PaxHeaders[]> {
  const tar = spawn("tar", [...TAR_ARGUMENTS, `--directory=${upper}`, "--files-from=-"], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
  });
  const ended = once(tar, "close");
  const complaints = collectText(tar.stderr);
  const headers: PaxHeaders[] = [];
  try {
    const unpacked = extract();
    unpacked.on("entry", (header, content, next) => {
      // tar-stream leaves the type open; what it parses is a record of strings.
      headers.push((header.pax ?? {}) as PaxHeaders);
      content.resume();
      next();
    });
    await Promise.all([pipeline(Readable.from(listOf(paths)), tar.stdin), pipeline(tar.stdout, unpacked), ended]);
  } catch (error) {
    tar.kill("SIGKILL");
    const reason = isErrno(error, "ENOENT") ? "it is not installed" : await complaints;
    throw new StateError(unreadableMarks(reason), { cause: error });
  }
  if (tar.exitCode !== 0) throw new StateError(unreadableMarks(await complaints));
  return headers;
}

const TAR_ARGUMENTS = [
  "--create",
  "--file=-",
  "--format=posix",
  "--xattrs",
  "--xattrs-include=*.overlay.*",
  "--no-recursion",
  // A guest's file of a terabyte of nothing is as short here as on its disk.
  "--sparse",
  "--null",
  "--no-unquote",
] as const;

function* listOf(paths: readonly string[]): Generator<Buffer> {
  for (const path of paths) yield Buffer.concat([Buffer.from("./"), pathToBytes(path), Buffer.of(0)]);
}

const MAX_COMPLAINT_CHARACTERS = 500;

async function collectText(stream: Readable): Promise<string> {
  let text = "";
  for await (const chunk of stream) {
    if (text.length < MAX_COMPLAINT_CHARACTERS) text += String(chunk);
  }
  return text.slice(0, MAX_COMPLAINT_CHARACTERS).trim();
}
