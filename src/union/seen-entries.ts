import { WorkspacePathError } from "../errors/workspace-path-error.ts";

/*
 * A tool that reads a tree asks for one file after the other in the same directories, and looking at every ancestor each
 * time would cost more than the reading. So a union remembers which paths of the root it has seen to be directories or
 * files, one by one or in a listing. That is a guess by the next time, and is only used where a wrong guess comes to light:
 * what is opened must be of that type and lie at the very path that was meant. Whatever a guess does not lead to is looked
 * up again from the root on, without guesses.
 */

/** What paths of the root were when they were last looked at. */
export interface SeenEntries {
  typeOf(path: string): SeenType | undefined;
  add(path: string, type: SeenType): void;
}

type SeenType = "directory" | "file";

/** What a walk may believe and what it may remember. */
export interface WalkMemory {
  readonly believe: boolean;
  readonly seen: SeenEntries;
}

/** Tries guesses first, and then without. */
export type TryWithMemory = <T>(attempt: (memory: WalkMemory) => Promise<T | undefined>) => Promise<T | undefined>;

/** The memory of one union. */
export function createWalkMemory(): TryWithMemory {
  const types = new Map<string, SeenType>();
  const seen: SeenEntries = {
    typeOf: (path) => types.get(path),
    add(path, type) {
      if (types.size >= MAX_SEEN) types.clear();
      types.set(path, type);
    },
  };
  return async (attempt) => {
    const guessed = types.size === 0 ? undefined : await ignoringPathErrors(() => attempt({ believe: true, seen }));
    if (guessed !== undefined) return guessed;
    for (let count = 0; count < MAX_ATTEMPTS; count += 1) {
      const found = await attempt({ believe: false, seen });
      if (found !== undefined) return found;
      types.clear();
    }
    return undefined;
  };
}

const MAX_SEEN = 16_384;
/** How often something may move away between the walk and the open before it counts as gone. */
const MAX_ATTEMPTS = 4;

async function ignoringPathErrors<T>(attempt: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await attempt();
  } catch (error) {
    // The guess may be why; the next attempt says it again if it is true.
    if (error instanceof WorkspacePathError) return undefined;
    throw error;
  }
}
