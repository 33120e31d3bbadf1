/**
 * Stops calling a tool whose infrastructure keeps failing. Closed: calls run, and so many failures in a row open it.
 * Open: nothing runs until its time is over. Half open: a few probes run; when all of them succeed it is closed, and the
 * first that fails opens it again.
 *
 * cockatiel's breaker does nearly this, and is not used because of the rest: it cannot be asked without using a probe up
 * (nobody shall be asked to approve what will not run), it lets further calls wait while probes run, beyond the reach of
 * their signals, it counts a cancelled probe as a success, and it reads the time itself.
 */
import type { BreakerSettings } from "../contract/engine.ts";

/** What a call says of the infrastructure: it worked, it failed, or nothing can be told (a cancelled call). */
export type BreakerReport = "worked" | "failed" | "unknown";

/** Whether a call may run. An admitted one reports how it went, once. */
export type BreakerAdmission =
  | { readonly admitted: true; readonly report: (report: BreakerReport) => void }
  | { readonly admitted: false; readonly retryAfterMs: number };

type State =
  | { readonly name: "closed"; failuresInRow: number }
  | { readonly name: "open"; readonly untilMs: number }
  | { readonly name: "half-open"; running: number; succeeded: number };

/** The breaker of one tool. */
export class CircuitBreaker {
  readonly #failures: number;
  readonly #openMs: number;
  readonly #probes: number;
  readonly #clock: () => number;
  #state: State = { name: "closed", failuresInRow: 0 };

  constructor({ failures = 5, openMs = 60_000, probes = 2 }: BreakerSettings, clock: () => number) {
    this.#failures = failures;
    this.#openMs = openMs;
    this.#probes = probes;
    this.#clock = clock;
  }

  /** How long a call would have to wait; 0 when one would be admitted now. Uses nothing up. */
  peek(): number {
    const state = this.#state;
    switch (state.name) {
      case "closed":
        return 0;
      case "open":
        return Math.max(0, state.untilMs - this.#clock());
      case "half-open":
        return state.running + state.succeeded < this.#probes ? 0 : PROBE_WAIT_MS;
    }
  }

  /** Admits a call, as a probe when the breaker's open time is over. */
  admit(): BreakerAdmission {
    const retryAfterMs = this.peek();
    if (retryAfterMs > 0) return { admitted: false, retryAfterMs };
    if (this.#state.name === "open") this.#state = { name: "half-open", running: 0, succeeded: 0 };
    const state = this.#state;
    if (state.name === "half-open") state.running += 1;
    let isReported = false;
    const report = (how: BreakerReport): void => {
      // A call that began in another state says nothing about this one.
      if (!isReported && state === this.#state) this.#count(state, how);
      isReported = true;
    };
    return { admitted: true, report };
  }

  #count(state: State, how: BreakerReport): void {
    if (state.name === "half-open") state.running -= 1;
    if (how === "failed") this.#fail(state);
    if (how === "worked") this.#succeed(state);
  }

  #fail(state: State): void {
    if (state.name === "closed") {
      state.failuresInRow += 1;
      if (state.failuresInRow < this.#failures) return;
    }
    this.#state = { name: "open", untilMs: this.#clock() + this.#openMs };
  }

  #succeed(state: State): void {
    if (state.name === "closed") state.failuresInRow = 0;
    if (state.name !== "half-open") return;
    state.succeeded += 1;
    if (state.succeeded >= this.#probes) this.#state = { name: "closed", failuresInRow: 0 };
  }
}

/** While every probe runs, nobody knows how long that takes. */
const PROBE_WAIT_MS = 1_000;
