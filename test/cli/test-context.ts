import { Writable } from "node:stream";
import type { ApprovalReview } from "../../src/contract/approval.ts";
import type { Change } from "../../src/contract/change.ts";
import type { BackendReport, Engine, EngineOptions } from "../../src/contract/engine.ts";
import type { ApprovalRequest, ReviewDecision } from "../../src/contract/gate.ts";
import type { DispatchOptions } from "../../src/contract/event.ts";
import type { ChangeSelection, Landing, LandingSummary } from "../../src/contract/landing.ts";
import type { PolicyReview } from "../../src/contract/policy-review.ts";
import type { JournalReview } from "../../src/contract/record.ts";
import type { ToolCall } from "../../src/contract/tool-call.ts";
import type { ToolFailure, ToolResult, ToolSuccess } from "../../src/contract/tool-result.ts";
import type { Tool } from "../../src/contract/tool.ts";
import type { BuildImage, CommandContext } from "../../src/cli/command-context.ts";
import { watchInterruption } from "../../src/cli/interruption.ts";
import type { SignalSource } from "../../src/cli/interruption.ts";
import { runProgram } from "../../src/cli/program.ts";
import { openOutputStream } from "../../src/cli/terminal/output-stream.ts";
import type { Prompts } from "../../src/cli/terminal/prompts.ts";

/** What the engine of a test does; everything that is not given fails or is empty. */
export interface FakeEngine {
  readonly tools?: readonly Tool[];
  readonly landings?: readonly LandingSummary[];
  readonly notices?: readonly string[];
  readonly journal?: JournalReview;
  readonly approvals?: ApprovalReview;
  readonly policy?: Partial<PolicyReview>;
  readonly dispatch?: (call: ToolCall, options: DispatchOptions, engine: EngineOptions) => Promise<ToolResult>;
  readonly changes?: (selection?: ChangeSelection) => readonly Change[];
  readonly diff?: (selection?: ChangeSelection) => string;
  readonly land?: (selection?: ChangeSelection) => Promise<Landing>;
  readonly undo?: (id?: string) => Promise<Landing>;
  readonly discard?: (selection?: ChangeSelection) => readonly Change[];
  readonly probe?: () => readonly BackendReport[];
}

/** Where a command line of a test runs. */
export interface TestSurroundings {
  readonly engine?: FakeEngine;
  /** Replaces the fake engine altogether. */
  readonly openEngine?: CommandContext["openEngine"];
  readonly buildImage?: BuildImage;
  readonly removeOrphans?: CommandContext["removeOrphans"];
  readonly stdin?: string;
  readonly hasPipedInput?: boolean;
  readonly terminal?: boolean;
  /** What the person answers, in order; `undefined` leaves the prompt. */
  readonly answers?: readonly (string | undefined)[];
  readonly environment?: NodeJS.ProcessEnv;
  readonly signals?: SignalSource;
  readonly out?: Writable;
}

/** Everything that a command line did. */
export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly opened: readonly EngineOptions[];
  readonly questions: readonly string[];
}

/** Runs a command line on a fake engine. */
export async function runTestProgram(words: readonly string[], surroundings: TestSurroundings = {}): Promise<Ran> {
  const environment = surroundings.environment ?? {};
  const opened: EngineOptions[] = [];
  const questions: string[] = [];
  const stdout = new Recorder(surroundings.terminal === true);
  const stderr = new Recorder(surroundings.terminal === true);
  const out = openOutputStream(surroundings.out ?? stdout, environment);
  const err = openOutputStream(stderr, environment);
  const exitCode = await runProgram(words, "1.2.3", {
    openEngine:
      surroundings.openEngine ??
      (async (options) => {
        opened.push(options);
        return fakeEngine(surroundings.engine ?? {}, options);
      }),
    buildImage: surroundings.buildImage ?? (async () => await Promise.reject(new Error("no image is built here"))),
    removeOrphans:
      surroundings.removeOrphans ?? (async () => await Promise.reject(new Error("nothing is cleaned up here"))),
    out,
    err,
    readStdin: async () => surroundings.stdin ?? "",
    hasPipedInput: () => surroundings.hasPipedInput === true,
    isInteractive: surroundings.terminal === true,
    prompts: scriptedPrompts(surroundings.answers ?? [], questions),
    environment,
    watchInterruption: () => watchInterruption(surroundings.signals ?? NO_SIGNALS, { out, err }),
  });
  return { exitCode, stdout: stdout.text(), stderr: stderr.text(), opened, questions };
}

/** A stream that keeps what is written to it. */
export class Recorder extends Writable {
  readonly isTTY: boolean;
  readonly #chunks: Buffer[] = [];

  constructor(isTTY = false) {
    super();
    this.isTTY = isTTY;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  text(): string {
    return this.bytes().toString();
  }
}

/** A change of a file made by the call `call`. */
export function change(kind: Change["kind"], path: string, more: Partial<Change> = {}): Change {
  return { kind, path, type: "file", callId: "call", ...more };
}

/** A successful result of the shell tool. */
export function success(more: Partial<ToolSuccess> = {}): ToolSuccess {
  return { ...FIELDS, metadata: { termination: "exit", exitCode: 0, signal: null }, ...more, success: true };
}

/** A failed one. */
export function failure(more: Partial<ToolFailure> & Pick<ToolFailure, "errorKind">): ToolFailure {
  return { ...FIELDS, error: "it failed", ...more, success: false };
}

/** Asks the reviewer that the command line gave to the engine. */
export async function askReviewer(
  engine: EngineOptions,
  call: ToolCall,
  more: Partial<ApprovalRequest> = {},
): Promise<ReviewDecision | undefined> {
  return await engine.reviewer?.({
    callId: call.id,
    tool: call.name,
    risk: "exec",
    input: call.input,
    description: "runs a command",
    reason: 'the mode "default" says so for exec tools',
    backend: "docker",
    timeoutMs: 120_000,
    signal: new AbortController().signal,
    enqueue: async () => await Promise.reject(new Error("nothing was to be enqueued")),
    ...more,
  });
}

const FIELDS = {
  callId: "call",
  tool: "shell",
  output: "",
  content: [],
  metadata: {},
  changes: [],
  attempts: 1,
  durationMs: 2_000,
};

const EMPTY_JOURNAL: JournalReview = {
  recent: () => [],
  verify: () => ({ status: "intact", records: 0, unchained: 0 }),
};

const NO_SIGNALS: SignalSource = { on: () => undefined, off: () => undefined, exit: () => undefined };

function fakeEngine(fake: FakeEngine, options: EngineOptions): Engine {
  const dispatch = async (call: ToolCall, dispatchOptions: DispatchOptions = {}): Promise<ToolResult> => {
    if (fake.dispatch === undefined) throw new Error("no dispatch was expected");
    return await fake.dispatch(call, dispatchOptions, options);
  };
  return {
    root: "/project",
    tools: fake.tools ?? [],
    offeredTools: fake.tools ?? [],
    notices: fake.notices ?? [],
    readiness: () => [],
    workspace: {
      changes: async (selection) => fake.changes?.(selection) ?? [],
      revision: async () => "7",
      diff: async (selection) => fake.diff?.(selection) ?? "",
    },
    journal: fake.journal ?? EMPTY_JOURNAL,
    policy: {
      explain: async () => await Promise.reject(new Error("no explanation was expected")),
      rootPolicy: async () => await Promise.resolve(undefined),
      trust: async () => await Promise.reject(new Error("no trust was expected")),
      distrust: async () => await Promise.reject(new Error("no distrust was expected")),
      ...fake.policy,
    },
    approvals: fake.approvals ?? { pending: () => [], answer: () => ({ outcome: "unknown" }) },
    dispatch,
    dispatchAll: async (calls) => await Promise.all(calls.map((call) => dispatch(call))),
    land: fake.land ?? (async () => await Promise.reject(new Error("no landing was expected"))),
    undo: fake.undo ?? (async () => await Promise.reject(new Error("no undo was expected"))),
    landings: () => fake.landings ?? [],
    discard: async (selection) => fake.discard?.(selection) ?? [],
    restrict: () => ({ [Symbol.dispose]: () => undefined }),
    probe: async () => fake.probe?.() ?? [],
    [Symbol.asyncDispose]: async () => undefined,
  };
}

function scriptedPrompts(answers: readonly (string | undefined)[], questions: string[]): Prompts {
  const rest = [...answers];
  return {
    async choose({ message, choices }) {
      questions.push(message);
      const answer = rest.shift();
      return choices.find(({ value }) => value === answer)?.value;
    },
    async askText({ message, validate }) {
      questions.push(message);
      const answer = rest.shift();
      const problem = answer === undefined ? undefined : validate?.(answer);
      if (problem !== undefined) questions.push(problem);
      return answer;
    },
  };
}
