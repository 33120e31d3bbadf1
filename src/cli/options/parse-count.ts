import { ConfigurationError } from "../../errors/configuration-error.ts";
import { invalidCount } from "../../errors/messages/cli.ts";

/**
 * A number of things to show.
 * @throws ConfigurationError when it is no whole number from 1 to 1,000,000.
 */
export function parseCount(option: string, text: string): number {
  const count = COUNT.test(text) ? Number(text) : 0;
  if (count < 1 || count > MOST) throw new ConfigurationError(invalidCount(option, text));
  return count;
}

const COUNT = /^\d{1,7}$/;
const MOST = 1_000_000;
