/*
 * What a command may not ask the kernel for. Everything else is allowed: the filter is the second wall behind namespaces
 * and the loss of all capabilities, and takes away what has let guests out of them before, or what no build needs.
 *
 * - Mounts, new namespaces and joining others: the way to more of the kernel than an ordinary process reaches.
 *   `clone3` hides its flags from a filter, so it does not exist here (ENOSYS) and the C library takes `clone`.
 * - Other processes' memory and descriptors: the sandbox's own process 1 is one of them.
 * - Keyrings are not part of any namespace; they outlive the sandbox and are shared with whoever runs the engine.
 * - bpf, perf events, userfaultfd, io_uring: large parts of the kernel that break often; io_uring also does what other
 *   calls do without being filtered.
 * - File handles open files by number, past the mount namespace.
 * - Terminals: TIOCSTI types into the terminal that the sandbox was started from, TIOCLINUX pastes into a console.
 * - Sockets of families beside local, IP and netlink: AF_VSOCK reaches the machine's hypervisor, whatever the
 *   network namespace.
 * - What only an administrator may do fails without privileges anyway; the filter keeps kernel faults there out of reach.
 *
 * References: seccomp(2), man-pages "Capabilities and namespaces"; the lists of Docker's default profile and of Flatpak have
 * the same purpose. Numbers: the kernel's arch/x86/entry/syscalls/syscall_64.tbl and scripts/syscall.tbl.
 */

/** The processors that there is a filter for, as `process.arch` names them. */
export type SeccompArchitecture = "x64" | "arm64";

/** A system call by its number on each processor; `null` where there is none. */
export interface SyscallRule {
  readonly name: string;
  readonly numbers: Readonly<Record<SeccompArchitecture, number | null>>;
  /** The error number that the caller gets. */
  readonly errno: number;
  /** Which calls are refused. Arguments count by their low 32 bits, as the kernel reads these. @default all */
  readonly when?: ArgumentCondition;
}

/** A condition on one argument. */
export type ArgumentCondition =
  | { readonly argument: number; readonly hasAnyBitOf: number }
  | { readonly argument: number; readonly isOneOf: readonly number[] }
  | { readonly argument: number; readonly isNoneOf: readonly number[] };

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const NAMESPACE_FLAGS = 0x7e02_0000;
/** Only `unshare` has it; `clone` keeps the signal to send in these bits. */
const CLONE_NEWTIME = 0x80;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. */
const SOCKET_FAMILIES = [1, 2, 10, 16];
/** Linux, Linux without randomised addresses, 32-bit Linux, and the question which one it is. */
const PERSONALITIES = [0, 0x0004_0000, 8, 0xffff_ffff];

/** Every system call that is refused, or refused with some arguments. */
export const SECCOMP_RULES: readonly SyscallRule[] = [
  ...refused({
    // Mounts.
    mount: [165, 40],
    umount2: [166, 39],
    pivot_root: [155, 41],
    chroot: [161, 51],
    open_tree: [428, 428],
    move_mount: [429, 429],
    fsopen: [430, 430],
    fsconfig: [431, 431],
    fsmount: [432, 432],
    fspick: [433, 433],
    mount_setattr: [442, 442],
    open_tree_attr: [467, 467],
    setns: [308, 268],
    // Other processes.
    ptrace: [101, 117],
    process_vm_readv: [310, 270],
    process_vm_writev: [311, 271],
    process_madvise: [440, 440],
    pidfd_getfd: [438, 438],
    kcmp: [312, 272],
    move_pages: [279, 239],
    migrate_pages: [256, 238],
    // Keyrings.
    add_key: [248, 217],
    request_key: [249, 218],
    keyctl: [250, 219],
    // Large parts of the kernel.
    bpf: [321, 280],
    perf_event_open: [298, 241],
    userfaultfd: [323, 282],
    io_uring_setup: [425, 425],
    io_uring_enter: [426, 426],
    io_uring_register: [427, 427],
    fanotify_init: [300, 262],
    lookup_dcookie: [212, 18],
    // Files by number.
    name_to_handle_at: [303, 264],
    open_by_handle_at: [304, 265],
    // The machine.
    acct: [163, 89],
    clock_adjtime: [305, 266],
    clock_settime: [227, 112],
    settimeofday: [164, 170],
    delete_module: [176, 106],
    finit_module: [313, 273],
    init_module: [175, 105],
    create_module: [174, null],
    get_kernel_syms: [177, null],
    query_module: [178, null],
    ioperm: [173, null],
    iopl: [172, null],
    kexec_file_load: [320, 294],
    kexec_load: [246, 104],
    nfsservctl: [180, 42],
    quotactl: [179, 60],
    quotactl_fd: [443, 443],
    reboot: [169, 142],
    setdomainname: [171, 162],
    sethostname: [170, 161],
    swapoff: [168, 225],
    swapon: [167, 224],
    syslog: [103, 116],
    _sysctl: [156, null],
    sysfs: [139, null],
    uselib: [134, null],
    ustat: [136, null],
    vhangup: [153, 58],
  }),
  {
    name: "unshare",
    numbers: { x64: 272, arm64: 97 },
    errno: EPERM,
    when: { argument: 0, hasAnyBitOf: NAMESPACE_FLAGS | CLONE_NEWTIME },
  },
  {
    name: "clone",
    numbers: { x64: 56, arm64: 220 },
    errno: EPERM,
    when: { argument: 0, hasAnyBitOf: NAMESPACE_FLAGS },
  },
  { name: "clone3", numbers: { x64: 435, arm64: 435 }, errno: ENOSYS },
  {
    name: "ioctl",
    numbers: { x64: 16, arm64: 29 },
    errno: EPERM,
    when: { argument: 1, isOneOf: [TIOCSTI, TIOCLINUX] },
  },
  {
    name: "socket",
    numbers: { x64: 41, arm64: 198 },
    errno: EAFNOSUPPORT,
    when: { argument: 0, isNoneOf: SOCKET_FAMILIES },
  },
  {
    name: "socketpair",
    numbers: { x64: 53, arm64: 199 },
    errno: EAFNOSUPPORT,
    when: { argument: 0, isNoneOf: SOCKET_FAMILIES },
  },
  {
    name: "personality",
    numbers: { x64: 135, arm64: 92 },
    errno: EPERM,
    when: { argument: 0, isNoneOf: PERSONALITIES },
  },
];

/** Calls that are refused whatever their arguments; a pair is the number on x64 and on arm64. */
function refused(calls: Readonly<Record<string, readonly [number, number | null]>>): readonly SyscallRule[] {
  return Object.entries(calls).map(([name, [x64, arm64]]) => ({ name, numbers: { x64, arm64 }, errno: EPERM }));
}
