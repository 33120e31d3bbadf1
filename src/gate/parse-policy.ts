import type { PolicyDefinition } from "../contract/gate.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { invalidPolicy, noJson } from "../errors/messages/gate.ts";
import { checkPolicy } from "./check-policy.ts";
import { locateJsonError } from "./locate-json-error.ts";

/**
 * Reads the text of a policy file. Nothing of the text is quoted when it is none.
 * @throws ConfigurationError when it is no JSON, or no policy.
 */
export function parsePolicy(text: string, source: string): PolicyDefinition {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's error quotes the text, so it is no cause either.
    throw new ConfigurationError(invalidPolicy(source, noJson(locateJsonError(text))));
  }
  return checkPolicy(value, source);
}
