/** Plain functions; `plain-functions.ts` makes tools of them. */
import type { ReadContext, ToolOutcome, WriteContext } from "cofferdam";

/** What a text consists of. */
export interface TextSize {
  readonly lines: number;
  readonly words: number;
}

const textOf = async (path: string, { workspace }: ReadContext): Promise<string> =>
  Buffer.from(await workspace.readFile(path)).toString();

/**
 * Read a text file
 *
 * A path that does not exist fails the call by itself; nothing has to be caught for that.
 * @param path Path relative to the root
 * @param max_lines How many lines to return
 * @risk read
 */
export async function read_file(path: string, context: ReadContext, max_lines = 200): Promise<string> {
  const lines = (await textOf(path, context)).split("\n");
  return lines.slice(0, max_lines).join("\n");
}

/**
 * Count the lines and words of a text file
 * @param path Path relative to the root
 * @risk read
 */
export async function word_count(path: string, context: ReadContext): Promise<TextSize> {
  const text = await textOf(path, context);
  return { lines: text.split("\n").length - 1, words: text.split(/\s+/).filter(Boolean).length };
}

/**
 * Write content to a new file
 * @risk write
 */
export async function write_file(path: string, content: string, { workspace }: WriteContext): Promise<ToolOutcome> {
  try {
    await workspace.writeFile(path, content, { exclusive: true });
    return { success: true, output: "File written successfully" };
  } catch (error) {
    return { success: false, error: `Nothing was written: ${String(error)}` };
  }
}

/**
 * Submit the finished work
 * @param summary What was done, in one sentence
 * @risk write
 */
export function submit(summary: string, { state, finish }: WriteContext): void {
  state.set("submitted", true);
  finish(summary);
}
