import { posix } from "node:path";

import { WORKSPACE_PATH } from "./shell-filesystem.ts";

/**
 * Puts right what just-bash's commands say of files that may not be read: whatever keeps them from a file, they call it
 * missing. `denied` are the workspace's paths for which it was permission.
 */
export function correctDenials(stderr: string, denied: ReadonlySet<string>): string {
  if (denied.size === 0) return stderr;
  const paths = [...denied].map((path) => `${WORKSPACE_PATH}/${path}`);
  return stderr.replaceAll(/^([\w.-]+: )(.+): No such file or directory$/gm, (line, command: string, name: string) => {
    // A command names a file as the script did, mostly relative to where it was then.
    const named = posix.resolve("/", name);
    return paths.some((path) => path.endsWith(named)) ? `${command}${name}: Permission denied` : line;
  });
}
