import { posix } from "node:path";

import { InMemoryFs, MountableFs } from "just-bash";

import { RemoteFileSystem, type TypedName } from "./remote-filesystem.ts";
import type { WorkspaceClient } from "./workspace-client.ts";

/** Where the workspace is. */
export const WORKSPACE_PATH = "/workspace";

/** The shell's home, in memory. */
export const HOME_PATH = "/home/agent";

/**
 * The whole tree that the shell sees: the workspace, or an empty directory in its place, and everything else in memory
 * and gone with the process.
 */
export function createShellFileSystem(options: {
  /** Who to ask for the workspace, if there is one. */
  readonly workspace: WorkspaceClient | undefined;
  readonly memoryBytes: number;
}): MountableFs {
  const base = new InMemoryFs({}, { maxTotalBytes: options.memoryBytes });
  for (const folder of ["/tmp", "/dev", HOME_PATH, WORKSPACE_PATH]) base.mkdirSync(folder, { recursive: true });
  base.writeFileSync("/dev/null", "");
  return options.workspace === undefined
    ? new MountableFs({ base })
    : new TypedMountableFs(base, new RemoteFileSystem(options.workspace));
}

/** Lists a directory with types, which just-bash's own mount table cannot: it would ask for each name on its own. */
class TypedMountableFs extends MountableFs {
  readonly #workspace: RemoteFileSystem;

  constructor(base: InMemoryFs, workspace: RemoteFileSystem) {
    super({ base, mounts: [{ mountPoint: WORKSPACE_PATH, filesystem: workspace }] });
    this.#workspace = workspace;
  }

  async readdirWithFileTypes(path: string): Promise<TypedName[]> {
    const normal = posix.resolve("/", path);
    if (normal === WORKSPACE_PATH || normal.startsWith(`${WORKSPACE_PATH}/`)) {
      return await this.#workspace.readdirWithFileTypes(normal.slice(WORKSPACE_PATH.length));
    }
    const names = await this.readdir(normal);
    return await Promise.all(
      names.map(async (name) => {
        const { isFile, isDirectory, isSymbolicLink } = await this.lstat(posix.join(normal, name));
        return { name, isFile, isDirectory, isSymbolicLink };
      }),
    );
  }
}
