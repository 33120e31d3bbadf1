import { Option } from "commander";
import type { Command } from "commander";
import type { EngineOptions } from "../../contract/engine.ts";
import type { PolicyMode, Reviewer, SandboxSettings } from "../../contract/gate.ts";
import type { NetworkAccess } from "../../contract/sandbox.ts";
import { POLICY_SCHEMA } from "../../gate/policy-schema.ts";
import { parseHostRules } from "../../egress/host-rule.ts";
import { listWords } from "../../schema/show-value.ts";
import { withRoot } from "../new-command.ts";
import { choiceOption } from "./choice-option.ts";
import { parseDuration } from "./parse-duration.ts";
import { parseMemory } from "./parse-memory.ts";

/** What `run` and `call` were told about where and how to dispatch. */
export interface DispatchFlags {
  readonly root: string;
  readonly sandbox?: string;
  readonly image?: string;
  readonly network?: NetworkAccess;
  /** Milliseconds. */
  readonly timeout?: number;
  /** Mebibytes. */
  readonly memory?: number;
  readonly land?: "ask" | "auto" | "never";
  readonly gate?: true;
  readonly queue?: true;
  readonly yes?: true;
  readonly json?: true;
  readonly policy?: string;
  readonly mode?: PolicyMode;
}

/** Where shell commands can run. */
export const SHELL_SANDBOXES: readonly string[] = ["auto", "docker", "bubblewrap", "virtual"];

/** Adds the options that `run` and `call` share; `sandboxes` are the names that `--sandbox` takes. */
export function withDispatchOptions(command: Command, sandboxes: readonly string[]): Command {
  return withRoot(command)
    .addOption(choiceOption("--sandbox <name>", `where commands run: ${listWords(sandboxes)}`, sandboxes))
    .option("--image <ref>", "image for a sandbox that runs images")
    .addOption(new Option("--network <hosts>", NETWORK_DESCRIPTION).argParser(parseNetwork))
    .addOption(new Option("--timeout <duration>", "stop after this time, such as 120s or 2m").argParser(readTimeout))
    .addOption(new Option("--memory <size>", "memory at most, such as 512m or 2g").argParser(readMemory))
    .addOption(choiceOption("--land <when>", LAND_DESCRIPTION, ["ask", "auto", "never"]))
    .option("--gate", "treat the call as an agent's: what the policy leaves open is asked")
    .option("--queue", 'as --gate, and who answers "cofferdam approvals" is asked')
    .option("--yes", "answer what is asked by --gate with approve; a deny rule still holds")
    .option("--json", "print the result as one JSON object and nothing else")
    .option("--policy <file>", "a policy file, merged with yours and the one in the root")
    .addOption(choiceOption("--mode <name>", `what the gate does where no rule speaks: ${listWords(MODES)}`, MODES));
}

/** The engine that the flags describe. */
export function engineOptionsOf(flags: DispatchFlags, reviewer: Reviewer | undefined): EngineOptions {
  const sandbox: SandboxSettings = {
    ...(flags.sandbox === undefined ? {} : { backend: flags.sandbox }),
    ...(flags.image === undefined ? {} : { image: flags.image }),
    ...(flags.network === undefined ? {} : { network: flags.network }),
    ...(flags.timeout === undefined ? {} : { timeoutMs: flags.timeout }),
    ...(flags.memory === undefined ? {} : { memoryMb: flags.memory }),
  };
  return {
    root: flags.root,
    sandbox,
    ...(flags.policy === undefined ? {} : { policy: flags.policy }),
    ...(flags.mode === undefined ? {} : { mode: flags.mode }),
    ...(reviewer === undefined ? {} : { reviewer }),
  };
}

const MODES: readonly PolicyMode[] = POLICY_SCHEMA.properties.mode.enum;

const LAND_DESCRIPTION =
  "apply what it changed to the root: ask (the default on a terminal), auto (when it succeeded) or never";

const NETWORK_DESCRIPTION =
  "hosts that commands can reach, such as packages.example.com,*.example.com:8443, or none (the default)";

function parseNetwork(text: string): NetworkAccess {
  if (text === "none") return text;
  const hosts = text.split(",").map((host) => host.trim());
  parseHostRules(hosts);
  return hosts;
}

function readTimeout(text: string): number {
  return parseDuration("--timeout", text);
}

function readMemory(text: string): number {
  return parseMemory("--memory", text);
}
