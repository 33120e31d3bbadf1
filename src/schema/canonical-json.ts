import { hash } from "node:crypto";
import { configure } from "safe-stable-stringify";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { schemaMessages } from "../errors/messages/schema.ts";

/**
 * The one text of a JSON value, whatever order its keys were written in. Two values have the same text exactly when
 * they are the same JSON, so a digest of it names the value.
 * @throws ConfigurationError when the value is no JSON (a function, `NaN`, a bigint, a cycle).
 */
export function canonicalJson(value: unknown): string {
  const text = writeText(value);
  if (text === undefined) throw new ConfigurationError(schemaMessages.noCanonicalText);
  return text;
}

/** The SHA-256 of a text's UTF-8 bytes, as 64 hexadecimal digits. */
export function sha256(text: string): string {
  return hash("sha256", text);
}

const stringify = configure({ deterministic: true, strict: true });

function writeText(value: unknown): string | undefined {
  try {
    return stringify(value);
  } catch (cause) {
    throw new ConfigurationError(schemaMessages.noCanonicalText, { cause });
  }
}
