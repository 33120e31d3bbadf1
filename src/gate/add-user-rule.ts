/*
 * The user's policy is changed as git changes its index: the new text goes to a file beside it that only one process can
 * make, and that file takes its place in one step. Whoever reads sees the old policy or the new one. Where a process was
 * killed in between, the file stays and the message of the next one names it: how old it is says nothing about whether
 * somebody still writes it.
 */
import { constants } from "node:fs";
import { mkdir, open, realpath, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { PolicyDefinition } from "../contract/gate.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { policyBeingWritten, unwritablePolicy } from "../errors/messages/gate.ts";
import { parsePolicy } from "./parse-policy.ts";
import { readPolicyFile } from "./read-policy-file.ts";

/**
 * Adds an allow rule to a policy file, making the file where there is none. A rule that is there already is not added twice.
 * @throws ConfigurationError when the file is no policy, cannot be written, or another process keeps writing it.
 */
export async function addUserRule(file: string, rule: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const target = await targetOf(file);
  const draft = `${target}.lock`;
  await using handle = await openAlone(draft);
  try {
    const text = await readPolicyFile(target, { mayBeMissing: true, followsLink: true });
    const policy = text === undefined ? {} : parsePolicy(text, "the user's policy");
    if (hasRule(policy, rule)) return await rm(draft);
    const changed = { ...policy, allow: [...(policy.allow ?? []), rule] };
    await handle.writeFile(`${JSON.stringify(changed, undefined, 2)}\n`);
    await handle.sync();
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error instanceof ConfigurationError
      ? error
      : new ConfigurationError(unwritablePolicy(target, codeOf(error)), { cause: error });
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

async function openAlone(draft: string) {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    try {
      return await open(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    } catch (error) {
      if (codeOf(error) !== "EEXIST")
        throw new ConfigurationError(unwritablePolicy(draft, codeOf(error)), { cause: error });
      if (performance.now() >= deadline) throw new ConfigurationError(policyBeingWritten(draft), { cause: error });
    }
    await delay(POLL_MS);
  }
}

const WAIT_MS = 2_000;
const POLL_MS = 20;

function hasRule({ allow = [] }: PolicyDefinition, rule: string): boolean {
  return allow.some((each) => (typeof each === "string" ? each : each.rule) === rule);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
