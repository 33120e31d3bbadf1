import { asClause } from "./as-clause.ts";

/** What the docker sandbox says. No sentence names a path of the host but the Engine's socket, which `doctor` shows. */
export const dockerMessages = {
  noEngine: (address: string) => `no Docker Engine answers at ${address}`,
  noEngineRemedy: "Start the Docker Engine: sudo systemctl start docker",
  noPermission: (address: string) => `this user may not open the Docker Engine's socket ${address}`,
  noPermissionRemedy: 'Join the group and log in again: sudo usermod -aG docker "$USER"',
  contextIgnored: (context: string) =>
    `Set DOCKER_HOST to the address that "docker context inspect ${context}" shows: DOCKER_CONTEXT is not read`,
  notLinux: (osType: string) => `the Docker Engine runs ${osType} containers`,
  notLinuxRemedy: "Switch the Docker Engine to Linux containers",
  imageMissing: (image: string) => `the Docker Engine has no image "${image}"`,
  imageMissingRemedy: (image: string, isDefault: boolean) =>
    isDefault ? "Build it: npx cofferdam images build" : `Get it: docker pull ${image}`,
  unavailable: (reason: string, remedy: string) => `Cannot open a docker sandbox: ${reason}; ${asClause(remedy)}`,
  engineFailed: (action: string, said: string) => `Cannot ${action}: the Docker Engine says "${said}"`,
  engineSilent: (action: string, seconds: number) =>
    `Cannot ${action}: the Docker Engine does not answer within ${seconds} seconds; restart it or look at its log`,
  badAddress: (address: string) => `"${address}" is no address of a Docker Engine`,
  badAddressRemedy: "Use unix:///path or tcp://host:port, or leave DOCKER_HOST unset",
  cannotConnect: ({ reason, remedy }: { readonly reason: string; readonly remedy: string }) =>
    `Cannot connect to the Docker Engine: ${reason}; ${asClause(remedy)}`,
  namedEngineRemedy: "Start that Docker Engine, or correct DOCKER_HOST",
  limitNotEnforced: (limit: string) =>
    `Cannot limit ${limit} of the sandbox: the Docker Engine has no control group for it; enable the control group or choose another backend`,
  limitDiscarded: (warning: string) =>
    `Cannot limit the sandbox: the Docker Engine says "${warning}"; enable the control group or choose another backend`,
  noShell: (image: string) => `Cannot run a command in image "${image}": it has no /bin/sh; use an image with a shell`,
  neverStopped: "Cannot stop the sandbox: its container still runs after it was killed; restart the Docker Engine",
  connectionLost: (said: string) =>
    `Cannot follow the command: the connection to the Docker Engine broke ("${said}"); see whether the Engine still runs`,
  copyTooLarge: (limitBytes: number) =>
    `Cannot copy the workspace out of the sandbox: it has grown by more than ${Math.round(limitBytes / 1024 ** 2)} MiB; remove large files at the end of the command`,
  fileTooLarge: (limitBytes: number) =>
    `Cannot copy a file out of the sandbox: it is larger than ${Math.round(limitBytes / 1024 ** 2)} MiB; remove it at the end of the command`,
  rootMoved: "Cannot copy the workspace into the sandbox: a file became shorter meanwhile; try again",
  rootChanged:
    "Cannot copy the workspace out of the sandbox: a file that the command made a hard link to has changed in the root meanwhile; try again",
  copyDamaged: "Cannot copy the workspace out of the sandbox: the archive is damaged; try again",
  dockerfileUnreadable: (file: string) =>
    `Cannot build an image: the file ${JSON.stringify(file)} cannot be read; give the path of a Dockerfile`,
  buildFailed: (image: string, step: string, said: string) => `Cannot build image "${image}": ${step} failed: ${said}`,
  buildCancelled: (image: string) => `Cannot build image "${image}": it was cancelled; start it again`,
};
