import { SECCOMP_RULES, type SeccompArchitecture, type SyscallRule } from "./seccomp-rules.ts";

/*
 * Writes the rules down as a program of the classic Berkeley packet filter, which the kernel runs before each system call
 * on `struct seccomp_data` (seccomp(2)): the number at 0, the architecture at 4, the arguments of 8 bytes each at 16.
 *
 * A call through another architecture's entry has other numbers, and a rule would mean another call. So whoever makes one is
 * killed: 32-bit calls of a 64-bit machine, and x32 calls, which have the architecture of x64 and bit 30 in their number.
 *
 * Each rule is a block that jumps over itself when it does not apply, so that no jump is longer than a few instructions,
 * whatever the length of the table. The kernel remembers which numbers are always allowed and does not run the program for
 * them.
 */

/** The filter program for a processor, as bubblewrap's `--seccomp` and the kernel take it; `undefined` where there is none. */
export function seccompProgram(architecture: string): Buffer | undefined {
  if (!isSupported(architecture)) return undefined;
  const instructions = [
    load(OFFSET.architecture),
    ...unless(jumpEqual(AUDIT_ARCHITECTURES[architecture]), [KILL]),
    load(OFFSET.number),
    ...(architecture === "x64" ? when(jumpAtLeast(X32_BIT), [KILL]) : []),
    ...SECCOMP_RULES.flatMap((rule) => ruleBlock(rule, architecture)),
    ALLOW,
  ];
  return Buffer.concat(instructions.map(encode));
}

/** One instruction: `jumpTrue` and `jumpFalse` skip that many of the next ones. */
interface Instruction {
  readonly code: number;
  readonly jumpTrue?: number;
  readonly jumpFalse?: number;
  readonly operand: number;
}

const OFFSET = { number: 0, architecture: 4, argument: (index: number) => 16 + 8 * index };
const X32_BIT = 0x4000_0000;
/** AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64. */
const AUDIT_ARCHITECTURES: Readonly<Record<SeccompArchitecture, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };

/** BPF_LD|BPF_W|BPF_ABS, BPF_JMP|BPF_JEQ|BPF_K, …|BPF_JGE|…, …|BPF_JSET|…, BPF_RET|BPF_K. */
const CODE = { load: 0x20, jumpEqual: 0x15, jumpAtLeast: 0x35, jumpAnyBit: 0x45, return: 0x06 };
/** SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO with its value below. */
const KILL: Instruction = { code: CODE.return, operand: 0x8000_0000 };
const ALLOW: Instruction = { code: CODE.return, operand: 0x7fff_0000 };
const RETURN_ERRNO = 0x0005_0000;

function isSupported(architecture: string): architecture is SeccompArchitecture {
  return Object.hasOwn(AUDIT_ARCHITECTURES, architecture);
}

/** Expects the number in the accumulator, and leaves it there when it lets the call pass. */
function ruleBlock(rule: SyscallRule, architecture: SeccompArchitecture): readonly Instruction[] {
  const number = rule.numbers[architecture];
  if (number === null) return [];
  const refuse: Instruction = { code: CODE.return, operand: RETURN_ERRNO | rule.errno };
  if (rule.when === undefined) return when(jumpEqual(number), [refuse]);
  // Both processors store the low half of an argument first.
  const argument = load(OFFSET.argument(rule.when.argument));
  return when(jumpEqual(number), [argument, ...conditionBlock(rule.when, refuse), load(OFFSET.number)]);
}

function conditionBlock(condition: NonNullable<SyscallRule["when"]>, refuse: Instruction): readonly Instruction[] {
  if ("hasAnyBitOf" in condition) return when(jumpAnyBit(condition.hasAnyBitOf), [refuse]);
  if ("isOneOf" in condition) return condition.isOneOf.flatMap((value) => when(jumpEqual(value), [refuse]));
  // Each value that is met jumps over what is left of the list and the refusal behind it.
  const { isNoneOf: values } = condition;
  return [...values.map((value, index) => ({ ...jumpEqual(value), jumpTrue: values.length - index })), refuse];
}

function when(jump: Instruction, block: readonly Instruction[]): readonly Instruction[] {
  return [{ ...jump, jumpFalse: block.length }, ...block];
}

function unless(jump: Instruction, block: readonly Instruction[]): readonly Instruction[] {
  return [{ ...jump, jumpTrue: block.length }, ...block];
}

function load(offset: number): Instruction {
  return { code: CODE.load, operand: offset };
}

function jumpEqual(operand: number): Instruction {
  return { code: CODE.jumpEqual, operand };
}

function jumpAtLeast(operand: number): Instruction {
  return { code: CODE.jumpAtLeast, operand };
}

function jumpAnyBit(operand: number): Instruction {
  return { code: CODE.jumpAnyBit, operand };
}

/** `struct sock_filter`; both processors are little-endian. */
function encode({ code, jumpTrue = 0, jumpFalse = 0, operand }: Instruction): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(jumpTrue, 2);
  bytes.writeUInt8(jumpFalse, 3);
  bytes.writeUInt32LE(operand >>> 0, 4);
  return bytes;
}
