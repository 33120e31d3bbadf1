import type { EngineOptions } from "../contract/engine.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { settingOutOfRange } from "../errors/messages/dispatch.ts";

/** The numbers among the engine's options that become limits of a dispatch. */
export type DispatchSettings = Pick<EngineOptions, "maxOutputCharacters" | "hookTimeoutMs" | "maxRepeats" | "breaker">;

/**
 * Checks numbers before they become limits.
 * @throws ConfigurationError naming the first option that is no whole number of its range.
 */
export function checkSettings({ maxOutputCharacters, hookTimeoutMs, maxRepeats, breaker }: DispatchSettings): void {
  const settings: readonly NumberSetting[] = [
    { name: "maxOutputCharacters", value: maxOutputCharacters, least: 2_000, most: 10_000_000 },
    { name: "hookTimeoutMs", value: hookTimeoutMs, least: 1, most: 2_147_483_647 },
    { name: "maxRepeats", value: maxRepeats, least: 1, most: 2_147_483_647 },
    { name: "breaker.failures", value: breaker?.failures, least: 1, most: 1_000_000 },
    { name: "breaker.openMs", value: breaker?.openMs, least: 1, most: 86_400_000 },
    { name: "breaker.probes", value: breaker?.probes, least: 1, most: 1_000 },
  ];
  const wrong = settings.find(({ value, least, most }) => value !== undefined && !isWhole(value, least, most));
  if (wrong !== undefined) throw new ConfigurationError(settingOutOfRange(wrong));
}

interface NumberSetting {
  readonly name: string;
  readonly value: number | undefined;
  readonly least: number;
  readonly most: number;
}

function isWhole(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}
