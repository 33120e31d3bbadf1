import { lstat, readlink } from "node:fs/promises";
import { join } from "node:path";

/*
 * What a command sees of the host, read-only: its programs and libraries, and those few files of `/etc` that programs do not
 * work without. Nothing else of `/etc` (accounts, keys, addresses), nothing of `/var`, `/run`, `/home`, `/root`, `/opt`.
 */

/** A part of the system that is shown in the sandbox under its own path. */
export type SystemPart =
  | { readonly kind: "bind"; readonly path: string }
  /** As `/bin` is where it is part of `/usr`. */
  | { readonly kind: "symlink"; readonly path: string; readonly target: string };

const DIRECTORIES = ["usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "nix/store"];
const CONFIGURATION = [
  "alternatives",
  "ca-certificates",
  "crypto-policies",
  "fonts",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "magic",
  "mime.types",
  "perl",
  "pki/ca-trust",
  "pki/tls/certs",
  "protocols",
  "services",
  "ssl/certs",
  "ssl/openssl.cnf",
];

/** The parts of this host's system that exist. */
export async function readSystemView(host = "/"): Promise<readonly SystemPart[]> {
  const paths = [...DIRECTORIES, ...CONFIGURATION.map((name) => join("etc", name))];
  const parts = await Promise.all(paths.map((path) => readPart(host, path)));
  return parts.filter((part) => part !== undefined);
}

async function readPart(host: string, path: string): Promise<SystemPart | undefined> {
  const shownAt = `/${path}`;
  const stats = await lstat(join(host, path)).catch(() => undefined);
  if (stats === undefined) return undefined;
  if (!stats.isSymbolicLink()) return { kind: "bind", path: shownAt };
  return { kind: "symlink", path: shownAt, target: await readlink(join(host, path)) };
}
