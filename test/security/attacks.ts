/*
 * What a hostile command tries in a sandbox of real programs. Each script prints a line for what it got, and nothing when it
 * got nothing. Settings of the kernel are only ever written back as they were, so that a wall that does not stand does no
 * harm here.
 *
 * Set in the environment: SECRET_PATH, a file of the host beside the root; HOST_PORT, a port that the host listens at on its
 * loopback address; HOST_SOCKET, the name of a socket in its abstract namespace; HOST_PID, a process of the host.
 */

/** One thing that a hostile command tries. */
export interface Attack {
  readonly attempt: string;
  readonly script: string;
}

/** A system call of x64 by its number; `got` is printed when it succeeds. */
function call(attempt: string, number: number, ...values: readonly (number | string)[]): Attack {
  const words = [number, ...values].join(", ");
  return { attempt, script: `perl -e 'my $b = "\\0" x 256; print "got it\\n" if syscall(${words}) != -1'` };
}

const READING: readonly Attack[] = [
  {
    attempt: "reading the host's passwords",
    script: "head -c 1 /etc/shadow /etc/gshadow /etc/sudoers 2>/dev/null | grep -v '*'",
  },
  { attempt: "reading a file beside the root", script: 'cat "$SECRET_PATH"' },
  { attempt: "reading it through the root of process 1", script: 'cat /proc/1/root"$SECRET_PATH"' },
  { attempt: "reading it through the parent's root", script: 'cat /proc/$PPID/root"$SECRET_PATH"' },
  { attempt: "reading it by climbing up", script: 'cat /workspace/../../../../../../.."$SECRET_PATH"' },
  { attempt: "reading it by a symlink", script: 'ln -s "$SECRET_PATH" planted; cat planted; rm planted' },
  { attempt: "reading it by a hard link", script: 'ln "$SECRET_PATH" planted && echo linked' },
  { attempt: "listing homes", script: "ls -A /root /home/*/.ssh /home/*/.aws 2>/dev/null | grep -v :" },
  {
    attempt: "reading the host's addresses",
    script: "cat /etc/resolv.conf /etc/machine-id /etc/hostname | grep -v sandbox",
  },
  {
    attempt: "reading process 1's environment",
    script: "tr '\\0' '\\n' </proc/1/environ | grep -E 'VITEST|HOME=/root|USER'",
  },
  { attempt: "reading kernel memory", script: "head -c 1 /proc/kcore && echo read; head -c 1 /dev/mem && echo read" },
  { attempt: "reading the kernel's addresses", script: "grep -v '^0000000000000000' /proc/kallsyms | head -n 1" },
  { attempt: "reading the kernel's log", script: "dmesg 2>/dev/null | head -n 1; timeout 1 head -c 1 /dev/kmsg" },
];

const WRITING: readonly Attack[] = [
  {
    attempt: "writing to the system",
    script:
      "for d in / /etc /usr /usr/bin /bin /lib /var /root /opt /srv /mnt /boot /proc; do (: >$d/x) && echo wrote $d; done",
  },
  {
    attempt: "changing a program",
    script:
      "for f in /bin/sh /usr/bin/env; do (: >>$f) && echo wrote; rm -f $f && echo removed; mv $f $f.old && echo moved; done",
  },
  ...["kernel/core_pattern", "kernel/modprobe", "kernel/hostname", "vm/overcommit_memory", "fs/suid_dumpable"].map(
    (name): Attack => ({
      attempt: `changing ${name}`,
      script: `value=$(cat /proc/sys/${name}); echo "$value" >/proc/sys/${name} && echo wrote`,
    }),
  ),
  { attempt: "asking the kernel for keys", script: "echo h >/proc/sysrq-trigger && echo wrote" },
  { attempt: "moving interrupts", script: "for f in /proc/irq/*/smp_affinity; do cat $f >$f && echo wrote; done" },
  {
    attempt: "writing to control groups",
    script:
      "for f in $(find /sys/fs/cgroup -name release_agent -o -name cgroup.procs 2>/dev/null); do (echo 0 >$f) && echo wrote; done",
  },
  { attempt: "writing process 1's memory", script: "(: >>/proc/1/mem) && echo wrote" },
  {
    attempt: "being the last to be killed for memory",
    script: "echo -1000 >/proc/self/oom_score_adj && echo lowered",
  },
];

const DEVICES: readonly Attack[] = [
  {
    attempt: "having devices",
    script:
      "for d in mem port kmsg vda sda nvme0n1 fuse kvm loop-control loop0 net/tun dri uinput; do [ -e /dev/$d ] && echo $d; done",
  },
  {
    attempt: "making devices",
    script:
      "for d in /tmp /workspace /home/agent /dev /dev/shm /run; do mknod $d/disk b 254 0 && echo made; mknod $d/mem c 1 1 && echo made; done",
  },
  {
    attempt: "making the device that deletes in an overlay of someone else",
    script: "mknod /tmp/w c 0 0 && cat /tmp/w",
  },
];

const NETWORK: readonly Attack[] = [
  { attempt: "reaching the host's loopback", script: "(exec 3<>/dev/tcp/127.0.0.1/$HOST_PORT) && echo reached" },
  { attempt: "reaching out", script: "(exec 3<>/dev/tcp/192.0.2.1/80) && echo reached" },
  { attempt: "resolving a name", script: "getent ahosts example.com" },
  { attempt: "having interfaces", script: "tail -n +3 /proc/net/dev | grep -v 'lo:'" },
  {
    attempt: "reaching a socket of the host in the abstract namespace",
    script: `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); print "reached\\n" if connect(S, pack_sockaddr_un("\\0" . $ENV{HOST_SOCKET}))'`,
  },
  {
    attempt: "finding sockets of services",
    script: "find / -xdev -type s 2>/dev/null; find /run /var/run -name '*.sock' 2>/dev/null",
  },
  { attempt: "a socket to the hypervisor", script: `perl -e 'print "made\\n" if socket(S, 40, 1, 0)'` },
  { attempt: "a raw socket", script: `perl -e 'print "made\\n" if socket(S, 17, 3, 768) or socket(S, 2, 3, 1)'` },
];

const PRIVILEGES: readonly Attack[] = [
  {
    attempt: "a set-user-id program of its own",
    script: "cp /bin/sh rooted && chmod 4755 rooted && ./rooted -p -c 'id -u' | grep -x 0; rm -f rooted",
  },
  { attempt: "becoming root", script: `perl -e '$> = 0; print "root\\n" if $> == 0'; su -c 'echo root' </dev/null` },
  {
    attempt: "having capabilities",
    script: "grep -E '^Cap(Prm|Eff|Bnd|Amb|Inh):' /proc/self/status | grep -v 0000000000000000",
  },
  { attempt: "gaining privileges by programs", script: "grep NoNewPrivs /proc/self/status | grep -v 1" },
  { attempt: "mounting", script: "mount -t tmpfs none /tmp && echo mounted; mount --bind / /tmp && echo mounted" },
  { attempt: "unmounting", script: "umount /proc && echo unmounted; umount -l /workspace && echo unmounted" },
  {
    attempt: "making a read-only mount writable",
    script: "for m in / /usr /proc /dev; do mount -o remount,rw $m && echo remounted; done",
  },
  {
    attempt: "new namespaces",
    script: "for n in -Ur -Urm -Urn -Urp -m -n -p -u -i -C; do unshare $n true && echo unshared $n; done",
  },
  { attempt: "joining the namespaces of process 1", script: "nsenter -t 1 -m -p true && echo joined" },
  { attempt: "changing the root directory", script: "chroot / true && echo changed" },
  { attempt: "changing the host name", script: "hostname evil && echo changed" },
  { attempt: "raising its limits", script: "ulimit -Hc unlimited && echo raised; ulimit -Hn 1000000 && echo raised" },
];

const PROCESSES: readonly Attack[] = [
  { attempt: "seeing the host's processes", script: 'kill -0 "$HOST_PID" && echo seen; ls -d /proc/$HOST_PID' },
  {
    attempt: "killing process 1",
    script: "kill -9 1; kill -STOP 1; sleep 0.1; grep -E '^State:.*(T|Z)' /proc/1/status",
  },
  { attempt: "having a terminal", script: "(: </dev/tty) && echo opened; tty | grep -v 'not a tty'" },
];

const SYSTEM_CALLS: readonly Attack[] = [
  call("tracing process 1", 101, 16, 1, 0, 0),
  call("tracing itself", 101, 0, 0, 0, 0),
  call("reading the memory of process 1", 310, 1, "$b", 1, "$b", 1, 0),
  call("taking a descriptor of process 1", 438, 3, 0, 0),
  call("the session's keyring", 250, 0, -3, 0),
  call("adding a key", 248, '"user"', '"name"', '"value"', 5, -2),
  call("asking for a key", 249, '"user"', '"name"', 0, -2),
  call("loading a program into the kernel", 321, 0, "$b", 72),
  call("handling page faults", 323, 0),
  call("handling page faults of its own code only", 323, 1),
  call("watching events", 298, "$b", 0, -1, -1, 0),
  call("a ring of requests", 425, 1, "$b"),
  call("a new user namespace", 272, 0x1000_0000),
  call("a new user namespace, high bits set", 272, "0x7fffffff10000000"),
  call("a new user namespace by clone", 56, 0x1000_0011, 0, 0, 0, 0),
  call("a process by clone3", 435, "$b", 64),
  call("opening a file system", 430, '"tmpfs"', 0),
  call("taking a mount with it", 428, -100, '"/"', 1),
  call("a handle of a file", 303, -100, '"/"', "$b", "$b", 0),
  call("reading the kernel's log", 103, 10, 0, 0),
  call("loading a module", 175, "$b", 1, '""'),
  call("ports of the machine", 172, 3),
  call("restarting the machine with wrong magic numbers", 169, 1, 1, 1, 0),
  call("swapping", 168, '"/none"'),
  call("accounting", 163, 0),
  call("setting the clock", 227, 0, "$b"),
  call("executable data", 135, 0x0040_0000),
  call("a call by the numbers of x32", 0x4000_0000 + 39),
  {
    attempt: "typing into a terminal",
    script: `perl -e 'open(T, "+<", "/dev/ptmx"); for (0x5412, 0x541c) { my $c = "x"; print "typed\\n" if ioctl(T, $_, $c) || ioctl(STDIN, $_, $c) }'`,
  },
  {
    attempt: "a call through the entry of 32-bit programs",
    script: `perl -e 'require DynaLoader; my $m = syscall(9, 0, 4096, 7, 34, -1, 0); exit if $m == -1; my $code = "\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3"; syscall(0, 0, 0, 0); my $p = pack("p", $code); open(M, "+<", "/proc/self/mem") or exit; seek(M, $m, 0); print M $code; close(M); DynaLoader::dl_install_xsub("main::f", $m); f(); print "called\\n"'`,
  },
];

/** Every attack; the system calls are those of x64. */
export const ATTACKS: readonly Attack[] = [
  ...READING,
  ...WRITING,
  ...DEVICES,
  ...NETWORK,
  ...PRIVILEGES,
  ...PROCESSES,
  ...(process.arch === "x64" ? SYSTEM_CALLS : []),
];
