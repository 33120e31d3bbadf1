import { displayPath } from "./path.ts";

/* The sentences about what a sandbox left in a layer. */

/** Why something of a layer is not kept. */
export const NOT_KEPT = {
  device: "it is a device; only files, directories and symlinks are kept",
  socket: "it is a socket; only files, directories and symlinks are kept",
  fifo: "it is a FIFO; only files, directories and symlinks are kept",
  specialBits: "its set-user-id, set-group-id or sticky bit was taken away; only the permission bits are kept",
  unreadable:
    "its owner could not read it; the owner's read permission (and search permission of a directory) was added",
  tooLong: "its path is longer than 3072 bytes, so it was left out with all below it; shorten the path",
  tooLarge: "it is larger than 8 GiB, so this version of it was left out; keep such a file elsewhere",
  tooDeep: "its path has more than 256 parts, so it was left out with all below it; shorten the path",
  hidden: "the policy hides this path, so it was left out with all below it; choose another path",
  temporaryName: "its name is kept for files that are being written; choose another name",
} as const;

/** overlayfs was mounted in a way that leaves content out of the upper directory. */
export function incompleteUpper(path: string): string {
  return `Cannot read the layer back: "${displayPath(path)}" is only a reference to content elsewhere; mount overlayfs with redirect_dir=off and metacopy=off`;
}

/** The whole upper directory is marked as hiding the root. */
export function opaqueTop(): string {
  return "Cannot read the layer back: its top directory is marked as hiding the whole root; only directories below it can be";
}

/** GNU tar, which reads the marks of overlayfs, did not. */
export function unreadableMarks(reason: string): string {
  return `Cannot read the layer back: tar could not read the marks of overlayfs (${displayPath(reason)}); GNU tar must be installed and able to read the layer`;
}
