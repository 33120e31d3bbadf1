/**
 * The descriptors that bubblewrap is started with beside stdin and stdout. Its own stderr tells why a sandbox could not be
 * made and is not the command's; of the others the command keeps none.
 */
export const DESCRIPTOR = {
  /** bubblewrap's own stderr. */
  diagnostics: 2,
  /** Where the sandbox says that it is made, and waits for the word to begin. */
  control: 3,
  /** What becomes the command's stderr. */
  commandStderr: 4,
  /** Where bubblewrap tells the number of process 1, and at the end the exit code. */
  status: 5,
  arguments: 6,
  filter: 7,
  passwd: 8,
  group: 9,
  hosts: 10,
} as const;

/** Whatever is open above is not for a sandbox. */
export const LAST_DESCRIPTOR = 10;
