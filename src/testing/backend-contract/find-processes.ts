import { readdir, readFile } from "node:fs/promises";

/** The numbers of this machine's processes whose command line holds `marker`, found in `/proc`. */
export async function findProcesses(marker: string): Promise<readonly string[]> {
  const numbers = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const commandLines = await Promise.all(numbers.map(commandLineOf));
  return numbers.filter((_number, index) => commandLines[index]?.includes(marker) === true);
}

async function commandLineOf(pid: string): Promise<string> {
  // It may have gone since it was listed.
  return await readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "");
}
