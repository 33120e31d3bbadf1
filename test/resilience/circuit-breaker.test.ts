import { assert, constantFrom, array, property } from "fast-check";
import { expect, it } from "vitest";
import { Breakers } from "../../src/resilience/breakers.ts";
import { CircuitBreaker } from "../../src/resilience/circuit-breaker.ts";
import type { BreakerReport } from "../../src/resilience/circuit-breaker.ts";

function breakerAt(startMs = 1_000) {
  let nowMs = startMs;
  const breaker = new CircuitBreaker({}, () => nowMs);
  return {
    breaker,
    advance: (ms: number) => void (nowMs += ms),
    run: (...reports: readonly BreakerReport[]) => {
      for (const report of reports) {
        const admission = breaker.admit();
        if (!admission.admitted) throw new Error(`Not admitted for ${admission.retryAfterMs} ms`);
        admission.report(report);
      }
    },
  };
}

const FIVE: readonly BreakerReport[] = ["failed", "failed", "failed", "failed", "failed"];

it("CircuitBreaker.admit() refuses for 60 s when five calls in a row have failed", () => {
  const { breaker, run, advance } = breakerAt();
  run("failed", "failed", "failed", "failed");
  expect(breaker.peek()).toBe(0);
  run("failed");
  expect(breaker.admit()).toEqual({ admitted: false, retryAfterMs: 60_000 });
  advance(59_999);
  expect(breaker.peek()).toBe(1);
  advance(1);
  expect(breaker.peek()).toBe(0);
});

it("CircuitBreaker counts anew after a call that worked, and leaves out one that tells nothing", () => {
  const { breaker, run } = breakerAt();
  run("failed", "failed", "failed", "failed", "worked", "failed", "failed", "unknown", "failed", "failed");
  expect(breaker.peek()).toBe(0);
  run("failed");
  expect(breaker.peek()).toBe(60_000);
});

it("CircuitBreaker.peek() uses no probe up, and CircuitBreaker.admit() lets two run at once", () => {
  const { breaker, run, advance } = breakerAt();
  run(...FIVE);
  advance(60_000);
  for (let times = 0; times < 10; times += 1) expect(breaker.peek()).toBe(0);
  const probes = [breaker.admit(), breaker.admit()];
  expect(probes.map(({ admitted }) => admitted)).toEqual([true, true]);
  expect(breaker.admit()).toEqual({ admitted: false, retryAfterMs: 1_000 });
});

it("CircuitBreaker closes when both probes have worked", () => {
  const { breaker, run, advance } = breakerAt();
  run(...FIVE);
  advance(60_000);
  run("worked", "worked");
  run("failed", "failed", "failed", "failed");
  expect(breaker.peek()).toBe(0);
});

it("CircuitBreaker opens again when a probe fails, and gives a cancelled probe's place to another call", () => {
  const { breaker, run, advance } = breakerAt();
  run(...FIVE);
  advance(60_000);
  run("unknown", "unknown", "worked", "failed");
  expect(breaker.peek()).toBe(60_000);
});

it("CircuitBreaker does not listen to calls that began before it changed, nor to a second report", () => {
  const { breaker, run, advance } = breakerAt();
  const [early, late] = [breaker.admit(), breaker.admit()];
  run(...FIVE);
  if (!early.admitted || !late.admitted) throw new Error("A new breaker admits");
  early.report("worked");
  expect(breaker.peek()).toBe(60_000);
  advance(60_000);
  const probe = breaker.admit();
  if (!probe.admitted) throw new Error("A breaker admits when its time is over");
  late.report("failed");
  expect(breaker.peek()).toBe(0);
  probe.report("worked");
  probe.report("worked");
  const second = breaker.admit();
  expect(second.admitted).toBe(true);
  expect(breaker.peek()).toBe(1_000);
});

it("CircuitBreaker never opens when no five calls in a row have failed", () => {
  const reports = array(constantFrom<BreakerReport[]>("worked", "failed", "unknown"), { maxLength: 60 });
  assert(
    property(reports, (all) => {
      const { breaker, run } = breakerAt();
      const known = all.filter((report) => report !== "unknown").join(" ");
      const opens = known.indexOf(FIVE.join(" "));
      if (opens !== -1) return;
      run(...all);
      expect(breaker.peek()).toBe(0);
    }),
  );
});

it("Breakers.of() keeps one breaker for each tool", () => {
  const breakers = new Breakers({ failures: 1, openMs: 10, probes: 1 }, () => 0);
  const admission = breakers.of("a").admit();
  if (admission.admitted) admission.report("failed");
  expect([breakers.of("a").peek(), breakers.of("b").peek()]).toEqual([10, 0]);
});
