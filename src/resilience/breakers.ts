import type { BreakerSettings } from "../contract/engine.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";

/** The circuit breakers of one engine, one per tool. */
export class Breakers {
  readonly #breakers = new Map<string, CircuitBreaker>();
  readonly #settings: BreakerSettings;
  readonly #clock: () => number;

  constructor(settings: BreakerSettings, clock: () => number) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** The breaker of a tool. */
  of(tool: string): CircuitBreaker {
    const known = this.#breakers.get(tool);
    if (known !== undefined) return known;
    const breaker = new CircuitBreaker(this.#settings, this.#clock);
    this.#breakers.set(tool, breaker);
    return breaker;
  }
}
