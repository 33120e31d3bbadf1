import { existsSync, readFileSync } from "node:fs";

import { array, assert, bigInt, integer, property, tuple } from "fast-check";
import { describe, expect, it } from "vitest";

import { seccompProgram } from "../../../src/sandbox/seccomp/seccomp-program.ts";
import { SECCOMP_RULES, type SyscallRule } from "../../../src/sandbox/seccomp/seccomp-rules.ts";
import { runFilter } from "./run-filter.ts";

const ALLOW = 0x7fff_0000;
const KILL = 0x8000_0000;
const ERRNO = 0x0005_0000;
const ARCHITECTURES = { x64: 0xc000_003e, arm64: 0xc000_00b7, x86: 0x4000_0003, arm: 0x4000_0028 };
const CLONE_NEWUSER = 0x1000_0000n;

function run(architecture: "x64" | "arm64", name: string, ...values: readonly bigint[]): number {
  const number = ruleOf(name).numbers[architecture];
  if (number === null) throw new Error(`${name} does not exist on ${architecture}`);
  return runFilter(programFor(architecture), {
    architecture: ARCHITECTURES[architecture],
    number,
    arguments: values,
  });
}

function ruleOf(name: string): SyscallRule {
  const rule = SECCOMP_RULES.find((each) => each.name === name);
  if (rule === undefined) throw new Error(`There is no rule for ${name}`);
  return rule;
}

function programFor(architecture: string): Buffer {
  const program = seccompProgram(architecture);
  if (program === undefined) throw new Error(`There is no program for ${architecture}`);
  return program;
}

const unconditional = SECCOMP_RULES.filter(({ when }) => when === undefined);

describe.each(["x64", "arm64"] as const)("seccompProgram(%j)", (architecture) => {
  const existing = unconditional.filter(({ numbers }) => numbers[architecture] !== null);

  it.each(existing.map(({ name, errno }) => [name, errno] as const))(
    "seccompProgram() refuses %s with error number %i",
    (name, errno) => {
      expect(run(architecture, name, 0n, 0n)).toBe(ERRNO | errno);
    },
  );

  it.each([
    ["a thread", "clone", [0x003d_0f00n], ALLOW],
    ["a child process", "clone", [0x0120_0011n], ALLOW],
    ["a new user namespace", "clone", [CLONE_NEWUSER | 17n], ERRNO | 1],
    ["a new mount namespace", "clone", [0x0002_0000n], ERRNO | 1],
    ["a new user namespace", "unshare", [CLONE_NEWUSER], ERRNO | 1],
    ["a new user namespace among others, high bits set", "unshare", [0xffff_ffff_1000_0000n], ERRNO | 1],
    ["a new time namespace", "unshare", [0x80n], ERRNO | 1],
    ["descriptors of its own", "unshare", [0x400n], ALLOW],
    ["the window's size", "ioctl", [1n, 0x5413n], ALLOW],
    ["typing into the terminal", "ioctl", [0n, 0x5412n], ERRNO | 1],
    ["typing into the terminal, high bits set", "ioctl", [0n, 0x1_0000_5412n], ERRNO | 1],
    ["pasting into the console", "ioctl", [0n, 0x541cn], ERRNO | 1],
    ["a local socket", "socket", [1n, 1n], ALLOW],
    ["an IPv6 socket", "socket", [10n, 1n], ALLOW],
    ["a netlink socket", "socket", [16n, 3n], ALLOW],
    ["a packet socket", "socket", [17n, 3n], ERRNO | 97],
    ["a socket to the hypervisor", "socket", [40n, 1n], ERRNO | 97],
    ["a socket to the kernel's ciphers", "socket", [38n, 5n], ERRNO | 97],
    ["a pair of local sockets", "socketpair", [1n, 1n], ALLOW],
    ["a pair of sockets to the hypervisor", "socketpair", [40n, 1n], ERRNO | 97],
    ["asking for the personality", "personality", [0xffff_ffffn], ALLOW],
    ["a personality with executable data", "personality", [0x0040_0000n], ERRNO | 1],
  ] as const)("seccompProgram() judges %s by %s", (...[, name, values, verdict]) => {
    expect(run(architecture, name, ...values)).toBe(verdict);
  });

  it("seccompProgram() allows every call that no rule names, whatever its arguments", () => {
    const named = new Set(SECCOMP_RULES.map(({ numbers }) => numbers[architecture]));
    const calls = tuple(
      integer({ min: 0, max: 600 }).filter((number) => !named.has(number)),
      array(bigInt({ min: 0n, max: 0xffff_ffff_ffff_ffffn }), { minLength: 6, maxLength: 6 }),
    );
    assert(
      property(calls, ([number, values]) => {
        const call = { architecture: ARCHITECTURES[architecture], number, arguments: values };
        expect(runFilter(programFor(architecture), call)).toBe(ALLOW);
      }),
    );
  });

  it("seccompProgram() kills whoever calls through the entry of another architecture", () => {
    for (const [name, foreign] of Object.entries(ARCHITECTURES)) {
      const verdict = runFilter(programFor(architecture), { architecture: foreign, number: 1 });
      expect([name, verdict]).toStrictEqual([name, name === architecture ? ALLOW : KILL]);
    }
  });
});

describe("seccompProgram()", () => {
  it("seccompProgram() kills whoever calls by the numbers of x32", () => {
    for (const number of [0x4000_0000, 0x4000_0001, 0x4000_0000 | 520, 0xffff_ffff]) {
      expect(runFilter(programFor("x64"), { architecture: ARCHITECTURES.x64, number })).toBe(KILL);
    }
  });

  it("seccompProgram() has none for a processor that it knows no numbers of", () => {
    expect(["riscv64", "ia32", "toString"].map(seccompProgram)).toStrictEqual([undefined, undefined, undefined]);
  });

  it.each([
    ["x64", "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"],
    ["arm64", "/usr/include/asm-generic/unistd.h"],
  ] as const)("SECCOMP_RULES has the kernel's own numbers on %s", (architecture, header) => {
    // Headers older than a call say nothing about it.
    const text = existsSync(header) ? readFileSync(header, "latin1") : "";
    const numbers = new Map(
      [...text.matchAll(/^#define __NR(?:3264)?_(\w+)\s+(\d+)/gm)].map(([, name = "", number]) => [
        name,
        Number(number),
      ]),
    );
    const differing = SECCOMP_RULES.filter(({ name, numbers: ours }) => {
      const theirs = numbers.get(name);
      return theirs !== undefined && theirs !== ours[architecture];
    });
    expect(differing).toStrictEqual([]);
  });
});
