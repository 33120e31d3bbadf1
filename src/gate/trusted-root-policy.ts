/*
 * The policy file in the root comes with the repository and may only tighten, until a person has read it and trusts exactly
 * this content. Which content that is lies in the state directory, where nothing that the repository holds can write: the
 * SHA-256 of one text, so that any change to the file ends the trust.
 */
import { randomBytes } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PolicyReview, RootPolicy } from "../contract/policy-review.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { rootPolicyChanged } from "../errors/messages/gate.ts";
import { sha256 } from "../schema/canonical-json.ts";
import { parsePolicy } from "./parse-policy.ts";
import { readPolicyFile } from "./read-policy-file.ts";

/** The policy file of a root. */
export const ROOT_FILE_NAME = "cofferdam.json";

/** Where it stands which content of the root's policy file is trusted. */
export function trustFileIn(stateDirectory: string): string {
  return join(stateDirectory, "trusted-policy");
}

/** Whether a text is the one that is trusted. */
export async function isTrusted(trustFile: string, text: string): Promise<boolean> {
  return (await readTrust(trustFile)) === sha256(text);
}

/** Looks at the policy file of a root, and lets a person trust it. */
export function reviewRootPolicy(root: string, trustFile: string): Omit<PolicyReview, "explain"> {
  const read = async (): Promise<RootPolicy | undefined> => {
    const text = await readPolicyFile(join(root, ROOT_FILE_NAME), { mayBeMissing: true, followsLink: false });
    if (text === undefined) return undefined;
    const definition = parsePolicy(text, `${ROOT_FILE_NAME} in the root`);
    return { text, digest: sha256(text), definition, isTrusted: await isTrusted(trustFile, text) };
  };
  return {
    rootPolicy: read,
    trust: async (digest) => {
      if ((await read())?.digest !== digest) throw new ConfigurationError(rootPolicyChanged());
      const draft = `${trustFile}.${randomBytes(8).toString("hex")}`;
      await writeFile(draft, digest, { mode: 0o600, flag: "wx" });
      await rename(draft, trustFile);
    },
    distrust: async () => await rm(trustFile, { force: true }),
  };
}

async function readTrust(trustFile: string): Promise<string | undefined> {
  try {
    return await readFile(trustFile, "latin1");
  } catch {
    // Never trusted, or not to be read: then it is not trusted.
    return undefined;
  }
}
