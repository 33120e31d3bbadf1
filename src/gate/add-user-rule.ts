/*
 * The user's policy is replaced in one step, so that whoever reads it sees the old one or the new one, and under the lock of its
 * directory, so that of two processes that add a rule neither loses the other's.
 */
import { randomBytes } from "node:crypto";
import { mkdir, open, realpath, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { PolicyDefinition } from "../contract/gate.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { unwritablePolicy } from "../errors/messages/gate.ts";
import { acquireLock } from "../state/lock.ts";
import { parsePolicy } from "./parse-policy.ts";
import { readPolicyFile } from "./read-policy-file.ts";

/**
 * Adds an allow rule to a policy file, making the file where there is none. A rule that is there already is not added twice.
 * @throws ConfigurationError when the file is no policy, or cannot be written.
 * @throws StateError when another process holds the lock for too long.
 */
export async function addUserRule(file: string, rule: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await using _lock = await acquireLock({ directory: dirname(file) });
  const target = await targetOf(file);
  const text = await readPolicyFile(target, { mayBeMissing: true, followsLink: true });
  const policy = text === undefined ? {} : parsePolicy(text, "the user's policy");
  if (hasRule(policy, rule)) return;
  await replaceFile(target, { ...policy, allow: [...(policy.allow ?? []), rule] });
}

async function replaceFile(target: string, policy: PolicyDefinition): Promise<void> {
  const draft = `${target}.${randomBytes(8).toString("hex")}`;
  try {
    await using handle = await open(draft, "wx", 0o600);
    await handle.writeFile(`${JSON.stringify(policy, undefined, 2)}\n`);
    await handle.sync();
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw new ConfigurationError(unwritablePolicy(target, codeOf(error)), { cause: error });
  }
}

/** The file itself where a link stands in its place, as dotfiles often are links. */
async function targetOf(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch {
    return file;
  }
}

function hasRule({ allow = [] }: PolicyDefinition, rule: string): boolean {
  return allow.some((each) => (typeof each === "string" ? each : each.rule) === rule);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
