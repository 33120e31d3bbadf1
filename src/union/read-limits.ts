/**
 * How much is read because of what a guest made. A sparse file of terabytes costs a guest nothing and whoever reads it
 * hours, and reading goes on after a call's deadline. So a layer keeps no file beyond a size, and work that only makes a
 * result smaller or nicer (leaving out what is the same, finding renames) ends when a total has been read.
 */

/** Larger files are not kept in a layer, nor landed on. Read at a gigabyte per second, one takes some seconds. */
export const MAX_FILE_BYTES = 8 * 2 ** 30;

/** What one scan or one list of changes reads at most to find out that files are the same. */
export const MAX_COMPARED_BYTES = 2 ** 29;

/** What may still be read. */
export interface ReadBudget {
  /** Takes a whole file out of the budget; `false`, and nothing taken, when less is left. */
  take(sizeBytes: number): boolean;
}

/** A budget of so many bytes. */
export function createReadBudget(totalBytes: number): ReadBudget {
  let leftBytes = totalBytes;
  return {
    take(sizeBytes) {
      if (sizeBytes > leftBytes) return false;
      leftBytes -= sizeBytes;
      return true;
    },
  };
}
