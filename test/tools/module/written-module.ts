import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A module in a directory of its own. */
export interface WrittenModule extends AsyncDisposable {
  readonly path: string;
}

/** Where a written module finds the types of contexts. */
export const CONTEXTS = fileURLToPath(new URL("../../../src/contract/tool.ts", import.meta.url));

export async function writeModule(text: string, name = "tools.ts"): Promise<WrittenModule> {
  const directory = await mkdtemp(join(tmpdir(), "cofferdam-module-"));
  const path = join(directory, name);
  await writeFile(path, text);
  return {
    path,
    [Symbol.asyncDispose]: async () => await rm(directory, { recursive: true }),
  };
}
