import { ConfigurationError } from "../errors/configuration-error.ts";
import { settingOutOfRange } from "../errors/messages/dispatch.ts";

/** A number among the engine's options, and what it may be. */
export interface NumberSetting {
  readonly name: string;
  readonly value: number | undefined;
  readonly least: number;
  readonly most: number;
}

/**
 * Checks numbers before they become limits.
 * @throws ConfigurationError naming the first option that is no whole number of its range.
 */
export function checkSettings(settings: readonly NumberSetting[]): void {
  const wrong = settings.find(({ value, least, most }) => value !== undefined && !isWhole(value, least, most));
  if (wrong !== undefined) throw new ConfigurationError(settingOutOfRange(wrong));
}

function isWhole(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}
