import type { EgressRequest } from "./egress-proxy.ts";

/** Kept of one command; a guest may ask as often as it likes. */
const MAX_REQUESTS = 200;

/** What a command asked the proxy for, in order, each different request once. */
export class RequestLog {
  #requests = new Map<string, EgressRequest>();

  /** Adds a request; one that was made before, or one too many, is not kept. */
  add(request: EgressRequest): void {
    const key = JSON.stringify(request);
    if (this.#requests.size < MAX_REQUESTS) this.#requests.set(key, request);
  }

  /** What was added since the last time. */
  take(): readonly EgressRequest[] {
    const taken = [...this.#requests.values()];
    this.#requests = new Map();
    return taken;
  }
}
