import type { Bench } from "tinybench";

/** Prints the median of each task of a finished run, and how many times longer the first one takes than each other. */
export function printRatios(bench: Bench): void {
  const medians = bench.tasks.map((task) => {
    const { result } = task;
    if (!("latency" in result)) throw new Error(`The task "${task.name}" gave no result: ${JSON.stringify(result)}`);
    return { name: task.name, medianMs: result.latency.p50, samples: result.latency.samplesCount };
  });
  const [subject, ...peers] = medians;
  if (subject === undefined) return;
  const lines = medians.map(
    ({ name, medianMs, samples }) => `  ${name}: median ${formatDuration(medianMs)} of ${samples} runs`,
  );
  const ratios = peers.map((peer) => `  ${(subject.medianMs / peer.medianMs).toFixed(2)}x of ${peer.name}`);
  process.stdout.write([bench.name, ...lines, `${subject.name} takes`, ...ratios, ""].join("\n"));
}

function formatDuration(durationMs: number): string {
  return durationMs < 1 ? `${(durationMs * 1000).toFixed(1)} µs` : `${durationMs.toFixed(1)} ms`;
}
