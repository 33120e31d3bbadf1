import { describe, expect, it } from "vitest";
import { readAhead } from "../../src/tools/read-ahead.ts";

async function* numbers(end: number): AsyncGenerator<number, void> {
  for (let each = 0; each < end; each += 1) yield await Promise.resolve(each);
}

describe("readAhead()", () => {
  it("gives results in the order of the items though later ones are ready first", async () => {
    const waiting: (() => void)[] = [];
    let most = 0;
    const load = async (item: number) => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        most = Math.max(most, waiting.length);
        // Whenever three are waiting they are let go, the last one first.
        if (waiting.length === 3 || item === 6) for (const release of waiting.splice(0).toReversed()) release();
      });
      return item * 10;
    };
    expect(await Array.fromAsync(readAhead(numbers(7), { limit: 3, load }))).toEqual([0, 10, 20, 30, 40, 50, 60]);
    expect(most).toBe(3);
  });

  it("throws what a load threw when its turn comes, and gives what came before", async () => {
    const seen: number[] = [];
    const load = async (item: number) =>
      item === 2 ? await Promise.reject(new Error("two")) : await Promise.resolve(item);
    const reading = async () => {
      for await (const item of readAhead(numbers(6), { limit: 4, load })) seen.push(item);
    };
    await expect(reading()).rejects.toThrow("two");
    expect(seen).toEqual([0, 1]);
  });
});
