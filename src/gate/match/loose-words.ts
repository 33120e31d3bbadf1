/*
 * Finding the words of a rule in a command whatever options stand between them. Where it is not known whether an option takes
 * the next word as its value, both are tried.
 */
import { posix } from "node:path";
import type { Word } from "../command/analysis.ts";
import { couldBeOption } from "../command/analysis.ts";

/** The options in front of a subcommand, by whether they take a value. */
interface GlobalOptions {
  readonly valued: readonly string[];
  readonly flags: readonly string[];
}

const GLOBAL_OPTIONS: ReadonlyMap<string, GlobalOptions> = new Map(
  [
    // git(1)
    [
      "git",
      "-C -c --git-dir --work-tree --namespace --config-env --super-prefix --attr-source",
      "-p -P --paginate --no-pager --bare --no-replace-objects --literal-pathspecs --no-optional-locks",
    ],
    // npm-config(7), pnpm, yarn
    [
      "npm",
      "--prefix -w --workspace --registry --userconfig --loglevel -C",
      "-s --silent --quiet -ws --workspaces -g --global --yes -y",
    ],
    ["pnpm", "-C --dir -F --filter", "-r --recursive -w --workspace-root --silent"],
    ["yarn", "--cwd", "--silent -s"],
    // docker(1), kubectl(1)
    [
      "docker",
      "-H --host -c --context --config -l --log-level --tlscacert --tlscert --tlskey",
      "-D --debug --tls --tlsverify",
    ],
    ["kubectl", "-n --namespace --context --cluster --user --kubeconfig -s --server", "--insecure-skip-tls-verify"],
    // gh(1), cargo(1)
    ["gh", "-R --repo", ""],
    ["cargo", "--config -Z -C --color", "-q --quiet -v --verbose --offline --locked --frozen"],
  ].map(([program = "", valued = "", flags = ""]) => [program, { valued: valued.split(" "), flags: flags.split(" ") }]),
);

/** Other spellings of options that rules are written about. */
const ALIASES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  rm: [
    ["-r", "-R", "--recursive"],
    ["-f", "--force"],
  ],
  cp: [
    ["-r", "-R", "--recursive", "-a", "--archive"],
    ["-f", "--force"],
  ],
  chmod: [["-R", "--recursive"]],
  chown: [["-R", "--recursive"]],
  git: [
    ["-f", "--force"],
    ["-d", "--delete"],
    ["-n", "--no-verify"],
  ],
  curl: [
    ["-o", "--output"],
    ["-T", "--upload-file"],
    ["-d", "--data"],
  ],
};

/** Other names of subcommands. */
const SAME_WORDS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  npm: [
    ["run", "run-script", "rum", "urn"],
    ["test", "tst", "t"],
    ["install", "i", "in", "ins", "add", "isntall"],
    ["exec", "x"],
    ["uninstall", "un", "remove", "rm", "unlink", "r"],
  ],
  pnpm: [
    ["install", "i"],
    ["remove", "rm", "uninstall", "un"],
  ],
};

/** Whether all options of a rule are among the words, or could be. */
export function hasOptions(options: readonly string[], program: string, args: readonly Word[]): boolean {
  if (options.length === 0) return true;
  if (args.some((word) => word.kind === "open" && couldBeOption(word))) return true;
  const texts = args.flatMap((word) => (word.kind === "static" ? [word.text] : []));
  return options.every((option) =>
    lettersOf(option, program).every((each) => texts.some((text) => isOption(text, each, program))),
  );
}

/** `-rf` is two options, except where options are whole words after one dash. */
function lettersOf(option: string, program: string): readonly string[] {
  if (option.startsWith("--") || program === "find") return [option];
  return Array.from(option.slice(1), (letter) => `-${letter}`);
}

function isOption(text: string, option: string, program: string): boolean {
  const spellings = ALIASES[program]?.find((each) => each.includes(option)) ?? [option];
  return spellings.some((spelling) => {
    if (text === spelling || text.startsWith(`${spelling}=`)) return true;
    const [name = ""] = text.split("=");
    if (spelling.startsWith("--")) return name.length > 3 && spelling.startsWith(name);
    return spelling.length === 2 && program !== "find" && /^-[^-]/.test(text) && text.includes(spelling.charAt(1), 1);
  });
}

/** `/`, `//` and `/./` are one place, and so are `.git` and `./.git/`. */
function samePath(left: string, right: string): boolean {
  return plainPath(left) === plainPath(right);
}

function plainPath(path: string): string {
  return path.includes("/") ? posix.normalize(path).replace(/(?<=.)\/$/, "") : path;
}

/** What is looked for, and where. */
export interface OperandSearch {
  readonly program: string;
  readonly operands: readonly string[];
  readonly args: readonly Word[];
  /** More operands may follow. */
  readonly isOpen: boolean;
}

/** Whether the operands of a rule are the first ones of a command, or could be. */
export function findOperands(search: OperandSearch): boolean {
  return new OperandFinder(search).fits(0, 0);
}

class OperandFinder {
  readonly #search: OperandSearch;
  readonly #known = new Map<string, boolean>();

  constructor(search: OperandSearch) {
    this.#search = search;
  }

  /** Whether the operands from `wanted` on can be found from the word at `index` on. */
  fits(wanted: number, index: number): boolean {
    const key = `${wanted} ${index}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const result = this.#try(wanted, index);
    this.#known.set(key, result);
    return result;
  }

  #try(wanted: number, index: number): boolean {
    const { operands, args, isOpen, program } = this.#search;
    const operand = operands[wanted];
    if (operand === undefined && isOpen) return true;
    const word = args[index];
    if (word === undefined) return operand === undefined;
    if (word.kind === "open") return this.#tryOpen(word, wanted, index);
    if (!word.text.startsWith("-") || word.text === "-") {
      return operand !== undefined && this.#isSame(operand, word.text, wanted) && this.fits(wanted + 1, index + 1);
    }
    const options = GLOBAL_OPTIONS.get(program);
    const takesNext = options?.valued.includes(word.text) === true;
    if (takesNext) return this.fits(wanted, index + 2);
    const standsAlone = word.text.includes("=") || word.text === "--" || options?.flags.includes(word.text) === true;
    return this.fits(wanted, index + 1) || (!standsAlone && this.fits(wanted, index + 2));
  }

  #tryOpen(word: Extract<Word, { kind: "open" }>, wanted: number, index: number): boolean {
    const operand = this.#search.operands[wanted];
    const couldBe = operand === undefined || operand.startsWith(word.start) || word.start.startsWith(`${operand}:`);
    if (word.count === "any" && couldBe) return true;
    if (couldBeOption(word) && (this.fits(wanted, index + 1) || this.fits(wanted, index + 2))) return true;
    return operand !== undefined && couldBe && this.fits(wanted + 1, index + 1);
  }

  #isSame(operand: string, text: string, wanted: number): boolean {
    const { program, operands, isOpen } = this.#search;
    if (operand === text || samePath(operand, text)) return true;
    if (SAME_WORDS[program]?.some((names) => names.includes(operand) && names.includes(text)) === true) return true;
    return isOpen && wanted === operands.length - 1 && text.startsWith(`${operand}:`);
  }
}
