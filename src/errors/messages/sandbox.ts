import { asClause } from "./as-clause.ts";

/** For a path of the installation that the permission model would read as a pattern. */
export const unsafeGrantPath =
  "Cannot start a sandbox: the installation's path holds a '*'; install Cofferdam in a directory without one";

/** For a child process that cannot be started at all. */
export function cannotStartChild(backend: string): string {
  return `Cannot start the "${backend}" sandbox: its process could not be started; run "cofferdam doctor" to see what is missing`;
}

/** For a package of ours that is not installed. */
export function packageMissing(backend: string, packageName: string): string {
  return `Cannot open the "${backend}" sandbox: the package "${packageName}" is not installed; run "npm install"`;
}

/** For a probe whose command ran and answered something else. */
export function probeFailed(backend: string): string {
  return `Cannot use the "${backend}" sandbox: its trial command gave a wrong answer; run "cofferdam doctor" to see more`;
}

/** What makes the isolate available. */
export const isolateRemedy = "Run Node 24 or newer on Linux or macOS, and `npm rebuild isolated-vm`";

/** What makes the virtual shell available. */
export const virtualRemedy = "Run Node 24 or newer on Linux or macOS, and `npm install` without leaving packages out";

/** For a child process that ended without an answer. */
export function childDied(backend: string, how: string): string {
  return `Cannot run a command in the "${backend}" sandbox: its process ${how} without an answer; try again, and report it if it happens twice`;
}

/** For a child process that does not keep to the protocol. */
export function childMisbehaved(backend: string): string {
  return `Cannot run a command in the "${backend}" sandbox: its process sent what it must not send and was killed`;
}

/** For a child process that is still there after SIGKILL. */
export function childSurvived(backend: string, pid: number): string {
  return `Cannot end the "${backend}" sandbox: process ${pid} is still there after SIGKILL; it has to be ended by hand`;
}

/** For a second command while one is running. */
export const sessionBusy =
  "Cannot run a command: another one is running in this session; wait for it or open a second session";

/** For a command after disposal. */
export const sessionDisposed = "Cannot run a command: the session has been disposed of; open a new one";

/** For a kind of command that the backend does not run. */
export function wrongCommandKind(backend: string, kind: string): string {
  return `Cannot run a ${kind} command in the "${backend}" sandbox: it does not run that kind; use a backend that does`;
}

/** For a limit that was asked for and that nothing would enforce. */
export function unenforceableLimit(backend: string, limit: string): string {
  return `Cannot open the "${backend}" sandbox: it cannot enforce "${limit}"; leave it out or use a backend that can`;
}

/** For an image that was asked for where there are none. */
export function runsNoImages(backend: string, image: string): string {
  return `Cannot open the "${backend}" sandbox: it runs no images, and "${image}" was asked for; leave the image out or use "docker"`;
}

/** For hosts that were asked for where the network can only be kept off. */
export function allowsNoHosts(backend: string, hosts: readonly string[]): string {
  const names = hosts.map((host) => `"${host}"`).join(", ");
  return `Cannot open the "${backend}" sandbox: it can only keep the network off, and ${names} was to be reached; leave the hosts out or use "docker"`;
}

/** For a memory limit below what the sandbox itself needs. */
export function memoryLimitTooLow(backend: string, limit: { readonly asked: number; readonly least: number }): string {
  return `Cannot hold the "${backend}" sandbox to ${limit.asked} MB of memory: it needs ${limit.least} MB for itself; give it at least that much, or leave the limit out`;
}

/** For input that JSON cannot hold. */
export const inputNotJson = "Cannot run JavaScript: its input is no JSON value; give plain data";

/** For a job that is larger than a child process takes. */
export function jobTooLarge(megabytes: number): string {
  return `Cannot run a command: with its input it takes more than ${megabytes} MB; put large data into a file`;
}

/** For a backend's name that none of the engine's backends has. */
export function unknownBackend(wanted: string, known: readonly string[]): string {
  const names = ["auto", ...known].map((name) => `"${name}"`).join(", ");
  return `Cannot use the sandbox "${wanted}": there is none of that name; use one of ${names}`;
}

/** For a backend that was named and is not available. */
export function namedBackendUnavailable(
  backend: string,
  why: { readonly reason: string; readonly remedy: string },
): string {
  return `Cannot use the "${backend}" sandbox: ${why.reason}; ${asClause(why.remedy)}`;
}

/** For a command that no backend can run here; `objections` says why not, backend by backend. */
export function noBackendFits(kind: string, objections: readonly string[]): string {
  const why = objections.length === 0 ? "no backends are configured" : objections.join("; ");
  const remedy =
    kind === "javascript"
      ? 'install "isolated-vm" with npm'
      : "install Docker (on Debian: apt-get install docker.io) or use Node 24 on Linux";
  return `Cannot run a ${kind} command: no sandbox fits (${why}); ${remedy}, and see "cofferdam doctor"`;
}

/** For a limit that no sandbox of real programs can have. */
export function limitInvalid(limit: string, value: number, range: string): string {
  return `Cannot limit ${limit} of the sandbox to ${value}: it is out of range; use ${range}`;
}

/** For a network that is neither off nor a list of hosts. */
export function networkInvalid(backend: string, network: string): string {
  return `Cannot open a ${backend} sandbox with network ${network}: use "none" or a list of allowed hosts`;
}

/** For an environment variable that the kernel could not pass on. */
export function environmentInvalid(name: string): string {
  return `Cannot set the environment variable ${JSON.stringify(name)}: it has no name, or holds "=" or NUL; use a name and a value without them`;
}
