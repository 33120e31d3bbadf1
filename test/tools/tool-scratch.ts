import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { StartPrefilter } from "../../src/contract/prefilter.ts";
import type { Execution, SandboxCommand } from "../../src/contract/sandbox.ts";
import type { Tool, ToolOutcome } from "../../src/contract/tool.ts";
import { WorkspacePathError } from "../../src/errors/workspace-path-error.ts";
import { compileSchema } from "../../src/schema/compile-schema.ts";
import { toOutcome } from "../../src/tools/tool-outcome.ts";
import { openUnionDraft, type UnionDraft } from "../../src/union/union-draft.ts";
import { openUnionView } from "../../src/union/union-view.ts";

/** What a scratch root holds: a file's content, or where a symlink points; a path that ends in `/` is a directory. */
export type ScratchFiles = Readonly<Record<string, string | Uint8Array | { readonly target: string }>>;

/** A real root with a draft on it, to run tools on. */
export interface ToolScratch extends AsyncDisposable {
  readonly root: string;
  /** Where the draft keeps what it changes. */
  readonly upper: string;
  readonly draft: UnionDraft;
  /** What the tools that run here share. */
  readonly state: Map<string, unknown>;
  /** Checks the input against the tool's schema and runs it, as the engine does. */
  run(tool: Tool, input: unknown, options?: RunToolOptions): Promise<ToolOutcome>;
  /** A file's text as the draft shows it. */
  text(path: string): Promise<string>;
}

/** What else a tool gets. */
export interface RunToolOptions {
  readonly signal?: AbortSignal;
  /** How the sandbox answers. */
  readonly execute?: (command: SandboxCommand) => Execution;
  /** How the user answers. */
  readonly ask?: (question: string, options?: readonly string[]) => Promise<string | undefined>;
  readonly finish?: (value: unknown) => void;
  readonly startPrefilter?: StartPrefilter;
}

/** Makes a root in a temporary directory; disposing removes it. */
export async function createToolScratch(files: ScratchFiles = {}): Promise<ToolScratch> {
  const home = await mkdtemp(join(tmpdir(), "cofferdam-tools-"));
  const root = join(home, "root");
  const upper = join(home, "upper");
  await mkdir(root);
  await mkdir(upper);
  for (const [path, content] of Object.entries(files)) await put(join(root, path), content);
  // The manifest alone says what is deleted: nothing here mounts the layer.
  const draft = openUnionDraft({
    below: openUnionView({ root, layers: [] }),
    upper,
    whiteouts: { place: async () => await Promise.resolve(false) },
  });
  const state = new Map<string, unknown>();
  return {
    root,
    upper,
    draft,
    state,
    run: (tool, input, options) => runTool(draft, tool, { input, state, ...options }),
    text: async (path) => Buffer.from(await draft.readFile(path)).toString("utf8"),
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  };
}

async function put(path: string, content: ScratchFiles[string]): Promise<void> {
  await mkdir(path.endsWith("/") ? path : dirname(path), { recursive: true });
  if (path.endsWith("/")) return;
  if (typeof content === "object" && "target" in content) await symlink(content.target, path);
  else await writeFile(path, content);
}

async function runTool(
  draft: UnionDraft,
  tool: Tool,
  options: RunToolOptions & { readonly input: unknown; readonly state: Map<string, unknown> },
): Promise<ToolOutcome> {
  const checked = compileSchema(tool.parameters).check(options.input);
  if (!checked.valid) return { success: false, error: checked.message, errorKind: "validation" };
  const context = {
    callId: "call",
    attempt: 1,
    signal: options.signal ?? new AbortController().signal,
    workspace: draft,
    state: options.state,
    report: () => undefined,
    finish: options.finish ?? (() => undefined),
    ...(options.ask === undefined ? {} : { ask: options.ask }),
    ...(options.startPrefilter === undefined ? {} : { startPrefilter: options.startPrefilter }),
    sandbox: { run: async (command: SandboxCommand) => await Promise.resolve(options.execute?.(command)) },
  };
  try {
    return toOutcome(await tool.execute(checked.value as never, context as never));
  } catch (error) {
    if (error instanceof WorkspacePathError) return { success: false, error: error.message, errorKind: "business" };
    throw error;
  }
}
