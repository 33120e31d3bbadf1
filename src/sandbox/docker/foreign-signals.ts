import { text } from "node:stream/consumers";

import type Docker from "dockerode";
import type { Container } from "dockerode";

import { callEngine } from "./call-engine.ts";
import type { StoppedState } from "./remove-container.ts";

/**
 * The Engine writes a signal into its log only after it has sent it, so the entry may be younger than the end that the
 * signal brought about. Only a command that ended with a code above 128 waits for it.
 */
const LATE_EVENT_MS = 1_000;

/** The signals that were sent to a container through the Engine during its life, the last one first. */
export async function readForeignSignals(
  docker: Docker,
  container: Container,
  state: StoppedState,
): Promise<readonly number[]> {
  const log = await callEngine("read the Engine's events", async (abortSignal) => {
    const events = await docker.getEvents({
      since: Math.floor(state.startedAtMs / 1000),
      until: (state.finishedAtMs + LATE_EVENT_MS) / 1000,
      filters: { type: ["container"], container: [container.id], event: ["kill"] },
      abortSignal,
    });
    return text(events);
  });
  return log
    .split("\n")
    .filter((line) => line !== "")
    .map(signalOf)
    .filter((signal) => !Number.isNaN(signal))
    .toReversed();
}

function signalOf(line: string): number {
  const event: unknown = JSON.parse(line);
  // The attributes are strings by the Engine's API; anything else ends as NaN.
  const attributes = (event as { readonly Actor?: { readonly Attributes?: Readonly<Record<string, string>> } }).Actor
    ?.Attributes;
  return Number(attributes?.["signal"]);
}
