import { array, assert, asyncProperty, constantFrom, integer, nat, record, uniqueArray } from "fast-check";
import { expect, it } from "vitest";
import type { Access } from "../../src/dispatch/access.ts";
import { Lanes } from "../../src/dispatch/lanes.ts";

const KEYS = ["a", "b", "c"] as const;
const names = uniqueArray(constantFrom(...KEYS), { maxLength: 2 });
const kinds = constantFrom("named", "named", "named", "reads everything", "writes everything");

const calls = array(
  record({
    kind: kinds,
    reads: names,
    writes: names,
    batch: integer({ min: 0, max: 2 }),
    ticks: nat(4),
    concludeTicks: nat(2),
    cancelled: constantFrom(false, false, true),
  }),
  { maxLength: 40 },
);

interface Call {
  readonly kind: string;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly batch: number;
}

function accessOf({ kind, reads, writes }: Call): Access {
  if (kind === "named") return { reads: new Set(reads), writes: new Set(writes) };
  return { reads: "everything", writes: kind === "writes everything" ? "everything" : new Set() };
}

/** The rule, said in another way: by asking each resource there is, and one that nobody names. */
function mayMeet(one: Call, other: Call): boolean {
  const isNamed = (call: Call): boolean => call.kind === "named";
  return [...KEYS, "another"].every((key) => {
    const uses = (call: Call, how: "reads" | "writes"): boolean =>
      isNamed(call) ? call[how].includes(key) : how === "reads" || call.kind === "writes everything";
    if (uses(one, "writes") && uses(other, "writes")) return false;
    const isOrdered = one.batch === other.batch || (isNamed(one) && isNamed(other));
    if (!isOrdered) return true;
    return !((uses(one, "writes") && uses(other, "reads")) || (uses(one, "reads") && uses(other, "writes")));
  });
}

async function wait(ticks: number): Promise<void> {
  for (let tick = 0; tick < ticks; tick += 1) await new Promise((resolve) => setImmediate(resolve));
}

it("Lanes.run() never runs two calls in conflict at the same time, keeps their order, and answers each", async () => {
  const seen = { together: 0, cancelled: 0, ran: 0 };
  await assert(
    asyncProperty(calls, integer({ min: 0, max: 8 }), async (drawn, abortAfterTicks) => {
      const lanes = new Lanes();
      const batches = [{}, {}, {}];
      const controller = new AbortController();
      const running = new Set<number>();
      const order: number[] = [];
      const outcomes = drawn.map(async (call, index) => {
        const signal = call.cancelled ? controller.signal : new AbortController().signal;
        const place = { access: accessOf(call), batch: batches[call.batch] ?? {}, signal };
        return await lanes.run(place, {
          run: async () => {
            for (const other of running) {
              seen.together += 1;
              expect([call, drawn[other]]).toSatisfy(([a, b]) => mayMeet(a, b));
            }
            running.add(index);
            order.push(index);
            await wait(call.ticks);
            running.delete(index);
            return index;
          },
          conclude: async (ran) => {
            await wait(call.concludeTicks);
            return `concluded ${ran}`;
          },
        });
      });
      void wait(abortAfterTicks).then(() => controller.abort());
      const answers = await Promise.all(outcomes);
      answers.forEach((answer, index) => {
        seen[answer.outcome] += 1;
        const isCancelled = answer.outcome === "cancelled" && drawn[index]?.cancelled === true;
        expect(answer).toEqual(
          isCancelled ? { outcome: "cancelled" } : { outcome: "ran", value: `concluded ${index}` },
        );
        expect(order.includes(index)).toBe(!isCancelled);
      });
      for (const [place, index] of order.entries()) {
        const [call, before] = [drawn[index], order.slice(0, place)];
        const overtaken = before.filter((other) => other > index && drawn[other]?.batch === call?.batch);
        for (const other of overtaken) expect([call, drawn[other]]).toSatisfy(([a, b]) => mayMeet(a, b));
      }
    }),
    { numRuns: 300 },
  );
  // The property would hold for lanes that never let two calls meet, or never cancel.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(100);
});

it("Lanes.run() lets no more than eight calls run together, and holds none of them back for those that wait", async () => {
  const lanes = new Lanes();
  const { signal } = new AbortController();
  let running = 0;
  let most = 0;
  const run = async (): Promise<void> => {
    most = Math.max(most, (running += 1));
    await wait(2);
    running -= 1;
  };
  const readsEverything: Access = { reads: "everything", writes: new Set() };
  const conclude = async (): Promise<void> => await Promise.resolve();
  await Promise.all(
    Array.from(
      { length: 30 },
      async () => await lanes.run({ access: readsEverything, batch: lanes, signal }, { run, conclude }),
    ),
  );
  expect(most).toBe(8);
});

it("Lanes.run() rejects with what the work throws, and lets the next call run", async () => {
  const lanes = new Lanes();
  const place = {
    access: { reads: "everything", writes: "everything" },
    batch: lanes,
    signal: new AbortController().signal,
  } as const;
  const conclude = async (value: string): Promise<string> => await Promise.resolve(value);
  const failed = lanes.run(place, { run: async () => await Promise.reject(new Error("Out of luck")), conclude });
  const next = lanes.run(place, { run: async () => await Promise.resolve("next"), conclude });
  await expect(failed).rejects.toThrow("Out of luck");
  expect(await next).toEqual({ outcome: "ran", value: "next" });
});
