import { execFileSync } from "node:child_process";
import { mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigurationError } from "../../src/errors/configuration-error.ts";
import { readPolicyFile } from "../../src/gate/read-policy-file.ts";

describe("readPolicyFile()", () => {
  let directory: string;
  let file: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "cofferdam-policy-file-"));
    file = join(directory, "cofferdam.json");
  });
  afterEach(async () => await rm(directory, { recursive: true }));

  const OF_ROOT = { mayBeMissing: true, followsLink: false };
  const OF_USER = { mayBeMissing: true, followsLink: true };
  const refused = (reason: string) => new ConfigurationError(`Cannot read the policy "${file}": ${reason}`);

  it("answers with the text, without a byte order mark", async () => {
    await writeFile(file, '\uFEFF{"deny": ["é"]}');
    expect(await readPolicyFile(file, OF_ROOT)).toBe('{"deny": ["é"]}');
  });

  it("answers with nothing when there is no file and that is allowed", async () => {
    expect(await readPolicyFile(file, OF_ROOT)).toBeUndefined();
    expect(await readPolicyFile(join(file, "below"), OF_ROOT)).toBeUndefined();
    await expect(readPolicyFile(file, { ...OF_ROOT, mayBeMissing: false })).rejects.toThrow(
      refused("there is no such file; name one that exists"),
    );
  });

  it("refuses a pipe that nobody writes to, at once", async () => {
    execFileSync("mkfifo", [file]);
    await expect(readPolicyFile(file, OF_ROOT)).rejects.toThrow(
      refused("it is a pipe; a policy is a regular file of JSON"),
    );
  });

  it("refuses a socket and a device", async () => {
    const server = createServer().listen(file);
    await once(server, "listening");
    await expect(readPolicyFile(file, OF_ROOT)).rejects.toThrow(
      refused("it is a socket; a policy is a regular file of JSON"),
    );
    server.close();
    await expect(readPolicyFile("/dev/null", OF_USER)).rejects.toThrow(
      new ConfigurationError('Cannot read the policy "/dev/null": it is a device; a policy is a regular file of JSON'),
    );
  });

  it("follows a link for the user's file and refuses it in the root's place, a dangling one too", async () => {
    await writeFile(join(directory, "target"), "{}");
    await symlink("target", file);
    expect(await readPolicyFile(file, OF_USER)).toBe("{}");
    const problem =
      "it is a symbolic link; a policy in the root must be a regular file itself, so put a copy in its place";
    await expect(readPolicyFile(file, OF_ROOT)).rejects.toThrow(refused(problem));
    await rm(join(directory, "target"));
    await expect(readPolicyFile(file, OF_ROOT)).rejects.toThrow(refused(problem));
  });

  it("reads a mebibyte and refuses more", async () => {
    await writeFile(file, " ".repeat(1_048_576));
    expect(await readPolicyFile(file, OF_ROOT)).toHaveLength(1_048_576);
    await truncate(file, 2 ** 40);
    await expect(readPolicyFile(file, OF_ROOT)).rejects.toThrow(
      refused("it is larger than 1 MiB; a policy is a small file of JSON"),
    );
  });

  it("refuses what is no UTF-8", async () => {
    await writeFile(file, Buffer.from([0x7b, 0xff, 0x7d]));
    await expect(readPolicyFile(file, OF_ROOT)).rejects.toThrow(
      refused("it is not UTF-8 text; a policy is a regular file of JSON"),
    );
  });
});
