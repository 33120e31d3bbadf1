import bytes from "bytes";
import { ConfigurationError } from "../../errors/configuration-error.ts";
import { invalidSize, sizeTooSmall } from "../../errors/messages/cli.ts";

/**
 * Mebibytes of a size such as `512m`, `512mb` or `2g`. A bare number is refused, since Docker would read it as bytes and
 * everybody else as megabytes.
 * @throws ConfigurationError when it is no size, or less than 1 MiB.
 */
export function parseMemory(option: string, text: string): number {
  const parts = SIZE.exec(text)?.groups;
  // `bytes` reads an unknown unit such as "m" as bytes, so the unit is completed before it sees it.
  const sizeBytes = parts === undefined ? null : bytes.parse(`${parts["number"]}${parts["unit"]}b`);
  if (sizeBytes === null) throw new ConfigurationError(invalidSize(option, text));
  const sizeMb = Math.floor(sizeBytes / BYTES_PER_MB);
  if (sizeMb < 1) throw new ConfigurationError(sizeTooSmall(option, text));
  return sizeMb;
}

const BYTES_PER_MB = 1_048_576;
const SIZE = /^(?<number>\d+(?:\.\d+)?) ?(?<unit>[kmg])(?:i?b)?$/i;
