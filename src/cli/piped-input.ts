/*
 * A command in a sandbox reads an empty stdin, and ours is left alone: in a shell loop it holds the lines that are still to
 * come. Looking whether a pipe holds anything would mean to read it, so a pipe or a file that a shell has attached counts as
 * something that was meant for the command. Programs that start us attach a socket or the null device, and are told nothing.
 */
import { fstatSync } from "node:fs";

/** Whether a person has attached input to a descriptor: a pipe of a shell, or a file that is not empty. Never waits. */
export function hasPipedInput(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor);
    return stats.isFIFO() || (stats.isFile() && stats.size > 0);
  } catch {
    // A descriptor that is closed holds nothing.
    return false;
  }
}
