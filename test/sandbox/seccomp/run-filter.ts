/** One system call, as the kernel shows it to a filter. */
export interface FilteredCall {
  readonly architecture: number;
  readonly number: number;
  readonly arguments?: readonly bigint[];
}

/** Runs a classic BPF program as the kernel does, and gives what it returns. */
export function runFilter(program: Buffer, call: FilteredCall): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call.number >>> 0, 0);
  data.writeUInt32LE(call.architecture >>> 0, 4);
  for (const [index, value] of (call.arguments ?? []).entries()) data.writeBigUInt64LE(value, 16 + 8 * index);
  let accumulator = 0;
  for (let at = 0; at < program.length / 8; at += 1) {
    const code = program.readUInt16LE(at * 8);
    const [jumpTrue, jumpFalse] = [program.readUInt8(at * 8 + 2), program.readUInt8(at * 8 + 3)];
    const operand = program.readUInt32LE(at * 8 + 4);
    const jump = (holds: boolean): number => (holds ? jumpTrue : jumpFalse);
    if (code === 0x06) return operand;
    if (code === 0x20) accumulator = data.readUInt32LE(operand);
    else if (code === 0x15) at += jump(accumulator === operand);
    else if (code === 0x35) at += jump(accumulator >= operand);
    else if (code === 0x45) at += jump((accumulator & operand) !== 0);
    else throw new Error(`No such instruction: ${code.toString(16)}`);
  }
  throw new Error("The program ran past its end");
}
