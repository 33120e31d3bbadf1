/** `openStateDirectory`: the root does not exist. */
export function rootMissing(root: string): string {
  return `Cannot open root "${root}": it does not exist; name an existing directory`;
}

/** `openStateDirectory`: the root is no directory. */
export function rootNotADirectory(root: string): string {
  return `Cannot open root "${root}": it is not a directory; name the directory that holds the files`;
}

/** `openStateDirectory`: the engine's state would be part of what the agent works on. */
export function stateInsideRoot(options: { readonly root: string; readonly stateHome: string }): string {
  return `Cannot keep state in "${options.stateHome}": it lies inside the root "${options.root}"; set COFFERDAM_STATE to a directory outside it`;
}

/** `openStateDirectory`: what the agent works on would be part of the engine's state. */
export function rootInsideState(options: { readonly root: string; readonly stateHome: string }): string {
  return `Cannot open root "${options.root}": it lies inside the state directory "${options.stateHome}"; name a directory outside it`;
}

/** `openDatabase`: the file is no database, or a damaged one. */
export function databaseDamaged(path: string): string {
  return `Cannot open state database "${path}": it is damaged or not a database; restore it, or move its directory away to start anew`;
}

/** `openDatabase`: a later version wrote it. */
export function databaseTooNew(options: {
  readonly path: string;
  readonly found: number;
  readonly known: number;
}): string {
  return `Cannot open state database "${options.path}": it has schema version ${options.found} and this version knows up to ${options.known}; use a newer Cofferdam`;
}

/** `openDatabase`: neither missing nor damaged, and still it does not open. */
export function databaseUnavailable(path: string): string {
  return `Cannot open state database "${path}": the file cannot be used; check its owner and permissions`;
}

/** `acquireLock`: somebody else kept it for the whole wait. */
export function lockHeld(options: { readonly waitMs: number; readonly holder: number | undefined }): string {
  const holder = options.holder === undefined ? "another process" : `process ${options.holder}`;
  return `Cannot lock the workspace state: ${holder} held it for ${options.waitMs} ms; try again when it has ended`;
}

/** A state home that depends on where one stands. */
export function stateHomeRelative(value: string): string {
  return `Cannot keep state in "${value}": COFFERDAM_STATE is a relative path; give an absolute one`;
}

/** A state home that cannot be made or written. */
export function stateUnusable(path: string, reason: string): string {
  return `Cannot keep state in "${path}": ${reason}; set COFFERDAM_STATE to a directory that you can write`;
}
