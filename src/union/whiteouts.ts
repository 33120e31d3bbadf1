import { spawn } from "node:child_process";
import type { Stats } from "node:fs";
import { link, rm } from "node:fs/promises";
import { once } from "node:events";

import { isErrno, lstatIfPresent } from "./host-entry.ts";

/*
 * overlayfs writes a deletion as a character device 0:0. Node cannot make one, but it can link to one: as the kernel does
 * it, one device is made per directory of layers and every deletion is one more name of it. Making this particular device
 * takes no privilege on an ordinary file system; on overlayfs itself, on most network file systems and outside of Linux
 * it is impossible, and then the layer's manifest alone says what was deleted.
 */

/** Marks deletions in an upper directory. */
export interface WhiteoutMaker {
  /**
   * Puts a whiteout at a free path. `false` when this file system can hold none; nothing has been done then.
   */
  place(hostPath: string | Buffer): Promise<boolean>;
}

/** Makes a character device 0:0 at a path that is free; `false` when it cannot. */
export type MakeDevice = (path: string) => Promise<boolean>;

/** How to make whiteouts. */
export interface WhiteoutMakerOptions {
  /** A directory on the file system of the layers, outside of every layer; it keeps the one device. */
  readonly directory: string;
  /** @default runs `mknod` */
  readonly spawnMknod?: MakeDevice;
}

/** A maker of whiteouts. It makes the device when the first one is needed. */
export function createWhiteoutMaker(options: WhiteoutMakerOptions): WhiteoutMaker {
  const { directory, spawnMknod = runMknod } = options;
  const device = `${directory}/${DEVICE_NAME}`;
  // Looked at once: later calls rely on the answer until a link says that the device is gone.
  let isReady: Promise<boolean> | undefined;
  return {
    async place(hostPath) {
      for (let attempt = 0; attempt < 2; attempt += 1) {
        isReady ??= ensureDevice(device, spawnMknod);
        if (!(await isReady)) return false;
        const outcome = await linkDevice(device, hostPath);
        if (outcome !== "no-device") return outcome === "placed";
        isReady = undefined;
      }
      return false;
    },
  };
}

/**
 * Makes the device ahead, so that a process that may start no program can place whiteouts too. `false` when this file
 * system can hold none.
 */
export async function prepareWhiteouts(options: WhiteoutMakerOptions): Promise<boolean> {
  return ensureDevice(`${options.directory}/${DEVICE_NAME}`, options.spawnMknod ?? runMknod);
}

/** Whether an entry of an upper directory is a whiteout. A guest's own devices have another number. */
export function isWhiteout(stats: Stats): boolean {
  return stats.isCharacterDevice() && stats.rdev === 0;
}

const DEVICE_NAME = "whiteout";

async function linkDevice(device: string, hostPath: string | Buffer): Promise<"placed" | "no-device" | "impossible"> {
  try {
    await link(device, hostPath);
    return "placed";
  } catch (error) {
    if (isErrno(error, "ENOENT") && (await lstatIfPresent(device)) === undefined) return "no-device";
    if (isErrno(error, "EMLINK")) {
      // It has all the names that the file system allows one inode; they keep it, and the next ones get a new device.
      await rm(device, { force: true });
      return "no-device";
    }
    if (isErrno(error, "EXDEV", "EPERM", "ENOTSUP", "ENOSYS", "ERR_ACCESS_DENIED")) return "impossible";
    throw error;
  }
}

async function ensureDevice(device: string, makeDevice: MakeDevice): Promise<boolean> {
  const present = await lstatIfPresent(device);
  if (present !== undefined) return isWhiteout(present);
  if (!(await makeDevice(device))) {
    // Another process may have been faster, in which case the device is there all the same.
    const others = await lstatIfPresent(device);
    return others !== undefined && isWhiteout(others);
  }
  const made = await lstatIfPresent(device);
  return made !== undefined && isWhiteout(made);
}

async function runMknod(path: string): Promise<boolean> {
  try {
    const child = spawn("mknod", ["-m", "000", path, "c", "0", "0"], {
      stdio: "ignore",
      env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL: "C" },
    });
    const [exitCode] = await once(child, "close");
    return exitCode === 0;
  } catch {
    // No such program, or this process may start none: then there are no whiteouts here.
    return false;
  }
}
