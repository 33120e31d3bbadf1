import ms from "ms";
import { ConfigurationError } from "../../errors/configuration-error.ts";
import { durationOutOfRange, invalidDuration } from "../../errors/messages/cli.ts";

/**
 * Milliseconds of a duration such as `120s` or `2m`. A bare number is refused: nobody can tell whether it means seconds.
 * @throws ConfigurationError when it is no duration, or not from 1 ms to 600 s.
 */
export function parseDuration(option: string, text: string): number {
  const durationMs = DURATION.test(text) ? parseMs(text) : undefined;
  if (durationMs === undefined || !Number.isFinite(durationMs)) {
    throw new ConfigurationError(invalidDuration(option, text));
  }
  if (durationMs < 1 || durationMs > LONGEST_MS) {
    throw new ConfigurationError(durationOutOfRange(option, text, { least: "1 ms", most: `${LONGEST_MS / 1000} s` }));
  }
  return Math.round(durationMs);
}

/** The engine's own bound for one command. */
const LONGEST_MS = 600_000;

const DURATION = /^\d+(?:\.\d+)? ?[a-z]+$/i;

/** `ms` answers `undefined` for a unit that it does not know; its types do not say so. */
function parseMs(text: string): number | undefined {
  // The types of `ms` name every spelling it takes; the pattern above has checked the shape.
  return ms(text as ms.StringValue);
}
