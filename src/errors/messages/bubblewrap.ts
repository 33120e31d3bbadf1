/** What the bubblewrap sandbox says. No sentence names a path of the host. */
export const bubblewrapMessages = {
  notLinux: (platform: string) => `bubblewrap needs the namespaces of Linux, and this is ${platform}`,
  notLinuxRemedy: "Use Docker, or a Linux machine",
  noFilter: (architecture: string) => `there is no system call filter for the processor ${architecture}`,
  noFilterRemedy: "Use Docker, or a machine with an x64 or arm64 processor",
  programsMissing: (names: readonly string[]) => `${names.join(", ")} cannot be found`,
  programsMissingRemedy: "Install them (on Debian: apt-get install bubblewrap bash util-linux coreutils)",
  tooOld: (version: string, options: readonly string[]) => `${version} does not know ${options.join(", ")}`,
  tooOldRemedy: "Install bubblewrap 0.8 or newer",
  noMountPoint: "there is no directory to mount the workspace over",
  noMountPointRemedy: "Make the directory /mnt",
  apparmor: "AppArmor keeps programs from making user namespaces",
  apparmorRemedy:
    "Allow it: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu sets it; the change lasts until the next boot)",
  noUserNamespaces: "this user may not make user namespaces",
  noUserNamespacesRemedy:
    "Allow it: sudo sysctl user.max_user_namespaces=10000, and on older Debian kernel.unprivileged_userns_clone=1; in a container start it with a seccomp profile that allows it",
  noOverlay: "the kernel cannot mount an overlay with its upper directory where the state is kept",
  noOverlayRemedy: "Keep the state on ext4, xfs, btrfs or tmpfs: set COFFERDAM_STATE to a directory there",
  noProc: "the kernel does not let a new /proc be mounted here, as in a container that hides parts of it",
  noProcRemedy: "Run the engine outside of the container, or use Docker",
  trialFailed: (said: string) => `a trial sandbox could not be made${said === "" ? "" : ` ("${said}")`}`,
  trialWrong: "a command in a trial sandbox did not find what it should",
  trialRemedy: "Use Docker, or report it with the output of `cofferdam doctor --json`",
  notMade:
    'Cannot run a command in the "bubblewrap" sandbox: the sandbox could not be made; run "cofferdam doctor" to see why',
  died: 'Cannot run a command in the "bubblewrap" sandbox: the sandbox ended without saying how; try again',
  neverStopped:
    'Cannot stop the "bubblewrap" sandbox: its processes are still there after they were killed; they have to be ended by hand',
  tooManyLayers: (layers: number) =>
    `Cannot open the "bubblewrap" sandbox: the workspace has ${layers} layers, more than the kernel mounts; land or discard some`,
  layersNotOnDisk:
    'Cannot open the "bubblewrap" sandbox: the state directory cannot hold what was deleted as overlayfs writes it; keep the state on another file system, or use "docker"',
  nestedMountChanged: (path: string) =>
    `Cannot open the "bubblewrap" sandbox: another file system is mounted at "${path}", and kept changes or hidden paths lie there; land or discard the changes, or use "virtual"`,
  scriptTooLong: (bytes: number) =>
    `Cannot run a command: it is longer than ${bytes.toLocaleString("en-US")} bytes; write it to a file and run that`,
};
