import { access, constants, realpath, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join, sep } from "node:path";

/** Where to look. */
export interface FindRipgrepOptions {
  /** The value of `PATH`. */
  readonly searchPath: string | undefined;
  /** The real path of the root, which an agent changes: nothing that lies in it is run. */
  readonly root: string;
}

/** The real path of the `rg` that a shell would run, unless it lies in the root; `undefined` without one. */
export async function findRipgrep({ searchPath = "", root }: FindRipgrepOptions): Promise<string | undefined> {
  for (const directory of searchPath.split(delimiter).filter(isAbsolute)) {
    const program = await findProgram(join(directory, "rg"));
    if (program !== undefined && !program.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) return program;
  }
  return undefined;
}

async function findProgram(path: string): Promise<string | undefined> {
  try {
    const program = await realpath(path);
    await access(program, constants.X_OK);
    return (await stat(program)).isFile() ? program : undefined;
  } catch {
    // Not there, or not to be run: the next directory may have one.
    return undefined;
  }
}
