import { execFile } from "node:child_process";
import { chmod, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/** One program that ran: its name and its arguments. */
export type TracedProgram = readonly string[];

/** Programs that only record how they were called. */
export const RECORDED = ["git", "npm", "rm", "ls", "cat", "p1", "p2", "sort", "grep", "tee", "curl", "sed", "make"];
/** Programs that run others, and are the real ones. */
const REAL = ["env", "timeout", "nice", "nohup", "setsid", "stdbuf", "xargs", "find", "bash", "sh", "dash"];

/**
 * Runs each command line with bash, in a directory of its own that nothing leaves, and tells which programs ran. The only
 * programs there are recorders, and those that run others.
 */
export async function traceCommands(lines: readonly string[], directory: string): Promise<readonly TracedProgram[][]> {
  await prepare(lines, directory);
  const isolation = "--ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --unshare-all --die-with-parent --clearenv";
  const place = ["--bind", directory, "/tmp/trace", "--setenv", "PATH", "/tmp/trace/bin"];
  const driver = "/bin/bash --norc --noprofile /tmp/trace/driver";
  await promisify(execFile)("bwrap", [...isolation.split(" "), ...place, ...driver.split(" ")]);
  return readLog(await readFile(join(directory, "log"), "latin1"), lines.length);
}

async function prepare(lines: readonly string[], directory: string): Promise<void> {
  await mkdir(join(directory, "bin"));
  for (const name of RECORDED) {
    await writeFile(join(directory, "bin", name), RECORDER);
    await chmod(join(directory, "bin", name), 0o755);
  }
  for (const name of REAL) await symlink(`/usr/bin/${name}`, join(directory, "bin", name));
  for (const [index] of lines.entries()) {
    await mkdir(join(directory, "place", String(index)), { recursive: true });
    await symlink("../../bin/p1", join(directory, "place", String(index), "p1"));
  }
  await writeFile(join(directory, "driver"), DRIVER);
  await writeFile(join(directory, "log"), "");
  await writeFile(join(directory, "lines"), lines.map((line) => `${line}\0`).join(""));
}

/** The directory tells whose program it is; what runs on in the background may come late. */
const RECORDER = `#!/bin/dash
cd -P .
printf '%s\\0' RUN "$PWD" "\${0##*/}" "$@" END >>/tmp/trace/log
`;

/** `eval` reads a text as `bash -c` does, and saves starting a bash for each. Functions that call themselves end soon. */
const DRIVER = `
number=0
while IFS= read -r -d '' -u 8 line; do
  cd "/tmp/trace/place/$number" || exit 1
  (exec 8<&-; ulimit -t 2; FUNCNEST=3; eval "$line") </dev/null >/dev/null 2>&1
  number=$((number + 1))
done 8</tmp/trace/lines
`;

function readLog(log: string, count: number): readonly TracedProgram[][] {
  const programs: TracedProgram[][] = Array.from({ length: count }, () => []);
  for (const entry of log.split("RUN\0").slice(1)) {
    const [place = "", ...words] = Buffer.from(entry, "latin1").toString("utf8").split("\0").slice(0, -2);
    // A program whose line went to a directory outside belongs to none.
    programs[Number(/^\/tmp\/trace\/place\/(\d+)/.exec(place)?.[1])]?.push(words);
  }
  return programs;
}
