/*
 * Options that make a program run others, or write where it otherwise only reads. A rule that allows a program with any
 * arguments was not written with them in mind: it covers a command that has one of them only when the rule itself spells it.
 * A hit that is none only asks once more, so letters are looked for anywhere in a cluster, and GNU's shortened long options
 * count as the whole.
 */
import type { SimpleCommand, Word } from "./analysis.ts";
import { findAwkAction, findSedAction } from "./script-actions.ts";

/** Something that a command does beyond what its program usually does. */
export interface Action {
  /** How a rule spells it; none for what no rule can. */
  readonly spellings: readonly string[];
  readonly does: string;
}

/** What the options and operands of a command make it do beyond reading. */
export function findActions(command: Pick<SimpleCommand, "program" | "args">): readonly Action[] {
  const { program, args } = command;
  const rows = rowsOf(command);
  const inScript = SCRIPTS.get(program)?.(args);
  if (rows.length === 0 && inScript === undefined) return NONE;
  const words = args.slice(0, endOfOptions(args));
  const found = rows.filter(({ spellings }) =>
    spellings.some((spelling) => words.some((word) => spells(word, spelling))),
  );
  return inScript === undefined ? found : [...found, { spellings: [], does: inScript }];
}

const NONE: readonly never[] = [];

/** A subcommand may be any of the words: which one it is depends on the options in front of it. */
function rowsOf({ program, args }: Pick<SimpleCommand, "program" | "args">): readonly Action[] {
  const own = ROWS.get(program) ?? NONE;
  const subcommands = SUBCOMMAND_ROWS.get(program);
  if (subcommands === undefined) return own;
  return [...own, ...args.flatMap((word) => (word.kind === "static" ? (subcommands.get(word.text) ?? NONE) : NONE))];
}

function endOfOptions(args: readonly Word[]): number {
  const end = args.findIndex((word) => word.kind === "static" && word.text === "--");
  return end < 0 ? args.length : end;
}

/** `--output`, `-o`, `-delete`, `of=` and `run` are five kinds of spelling. */
function spells(word: Word, spelling: string): boolean {
  const text = word.kind === "static" ? word.text : word.start;
  if (spelling.startsWith("--")) {
    const [name = ""] = text.split("=");
    return name === spelling || (name.length > 2 && spelling.startsWith(name));
  }
  if (/^-.$/.test(spelling)) return /^-[^-]/.test(text) && text.includes(spelling.charAt(1), 1);
  if (spelling.endsWith("=")) return text.startsWith(spelling);
  return text === spelling || (spelling.startsWith("-") && text.startsWith(`${spelling}=`));
}

const SCRIPTS: ReadonlyMap<string, (args: readonly Word[]) => string | undefined> = new Map([
  ["sed", findSedAction],
  ...["awk", "gawk", "mawk", "nawk"].map((name) => [name, findAwkAction] as const),
]);

/** Programs and subcommands, the spellings of their options, what these do, and where that is written. */
type Row = readonly [programs: string, spellings: string, does: string, source: string];

const TABLE: readonly Row[] = [
  [
    "sort, shuf, tree, iconv, xmllint",
    "-o --output",
    "writes a file",
    "sort(1), shuf(1), tree(1), iconv(1), xmllint(1)",
  ],
  ["sort", "--compress-program", "runs a program", "sort(1)"],
  ["tree", "-R", "writes files", "tree(1)"],
  ["file", "-C --compile", "writes a file", "file(1)"],
  ["split", "--filter", "runs a program", "split(1)"],
  ["xxd", "-r", "writes a file", "xxd(1)"],
  ["date", "-s --set", "sets the clock", "date(1)"],
  ["hostname", "-F -b --file", "sets the name of the machine", "hostname(1)"],
  ["history", "-a -c -d -n -r -w -s", "writes a file", "bash(1)"],
  ["yq", "-i --inplace --in-place", "writes a file", "yq"],
  ["sed", "-i --in-place", "writes files", "sed(1)"],
  ["sed", "-f --file", "runs a script from a file", "sed(1)"],
  ["awk, gawk, mawk, nawk", "-f -i -l -E --file --include --load --exec", "runs code from a file", "gawk(1)"],
  ["gawk", "-o -p -d --pretty-print --profile --dump-variables --debug -D", "writes a file", "gawk(1)"],
  ["find", "-delete", "deletes files", "find(1)"],
  ["find", "-fprint -fprint0 -fprintf -fls", "writes a file", "find(1)"],
  ["fd, fdfind", "-x -X --exec --exec-batch", "runs a program", "fd(1)"],
  ["rg", "--pre --hostname-bin -z --search-zip", "runs a program", "rg(1)"],
  [
    "less more",
    "-o -O -k --log-file --LOG-FILE --lesskey-file --lesskey-src",
    "writes or reads a file of keys",
    "less(1)",
  ],
  ["man", "-P -H -C -B --pager --html --browser --config-file", "runs a program", "man(1), CVE-2025-66032"],
  ["tar", "-I -F --use-compress-program --to-command --checkpoint-action", "runs a program", "tar(1)"],
  ["tar", "--rsh-command --info-script --new-volume-script --rmt-command", "runs a program", "tar(1)"],
  ["zip", "-T -TT --test --unzip-command", "runs a program", "zip(1)"],
  ["curl", "-o -O -D -c -J --output --remote-name --dump-header --cookie-jar", "writes a file", "curl(1)"],
  [
    "curl",
    "-K --config --trace --trace-ascii --stderr --etag-save --libcurl",
    "reads options or writes a file",
    "curl(1)",
  ],
  ["curl", "-T -F -d --upload-file --form --data --data-binary --json", "sends data", "curl(1)"],
  ["wget", "-O -o -a -P --output-document --output-file --append-output", "writes a file", "wget(1)"],
  ["wget", "-e --execute --use-askpass --post-file --body-file --config", "runs a program or sends a file", "wget(1)"],
  ["rsync", "-e --rsh --rsync-path", "runs a program", "rsync(1)"],
  ["scp, sftp", "-S -o -D -F", "runs a program", "scp(1), sftp(1)"],
  ["vi, vim, nvim, view, ex", "-c -S -s -u -w -W --cmd", "runs commands of the editor", "vim(1)"],
  ["emacs", "--eval --execute --load --funcall --script -l -f", "runs code", "emacs(1)"],
  ["python, python2, python3, pypy, pypy3", "-c -i", "runs code of the command line", "python(1)"],
  ["node, nodejs", "-e -p -r --eval --print --require --import --loader", "runs code of the command line", "node(1)"],
  ["node, nodejs", "--experimental-loader --env-file --openssl-config", "loads code or settings", "node(1)"],
  ["bun, deno", "-e --eval eval", "runs code of the command line", "bun, deno"],
  ["perl", "-e -E -i -M -m -x", "runs code of the command line", "perlrun(1)"],
  ["ruby", "-e -i -r", "runs code of the command line", "ruby(1)"],
  ["php", "-r -R -B -E -d --run", "runs code of the command line", "php(1)"],
  ["lua", "-e -l", "runs code of the command line", "lua(1)"],
  ["sqlite3", "-cmd -init", "runs commands of the shell of sqlite", "sqlite3(1)"],
  ["gdb, lldb", "-x -ex -c --command --eval-command -o", "runs commands of the debugger", "gdb(1)"],
  ["make, gmake", "-E --eval SHELL= MAKEFLAGS= .SHELLFLAGS=", "runs code of the command line", "make(1)"],
  ["npm, pnpm, yarn", "--script-shell --node-options --userconfig --globalconfig", "runs a program", "npm-config(7)"],
  ["npm exec", "-c --call", "runs code of the command line", "npm-exec(1)"],
  ["cargo", "--config", "runs a program", "cargo(1)"],
  ["go", "-exec -toolexec -vettool", "runs a program", "go help build"],
  ["pytest", "-p -c -o --pdbcls --override-ini --config-file", "loads code", "pytest --help"],
  [
    "eslint",
    "-o --output-file --rulesdir --resolve-plugins-relative-to",
    "writes a file or loads code",
    "eslint --help",
  ],
  ["prettier", "--plugin", "loads code", "prettier --help"],
  ["gcc, cc, clang, g++, c++, clang++", "-wrapper -fplugin -specs -B", "runs a program", "gcc(1)"],
  ["tcpdump", "-z -w", "runs a program or writes a file", "tcpdump(1)"],
  ["docker, podman", "-H --host --context --url --connection --identity -c", "talks to another engine", "docker(1)"],
  [
    "git diff, git log, git show, git whatchanged, git stash, git reflog, git diff-tree, git diff-index, git diff-files",
    "--output --ext-diff --textconv",
    "writes a file or runs a program",
    "git-diff(1), git-log(1), CVE-2025-66032",
  ],
  ["git blame", "--textconv", "runs a program", "git-blame(1)"],
  ["go env", "-w -u", "changes settings that run programs", "go help env"],
  ["pylint", "--init-hook --load-plugins", "runs code of the command line", "pylint --help"],
  ["mocha", "-r --require --import --loader", "loads code", "mocha --help"],
  ["pip", "--python --log", "runs a program or writes a file", "pip --help"],
  ["git shortlog", "--output", "writes a file", "git-shortlog(1)"],
  ["git cat-file", "--textconv --filters", "runs a program", "git-cat-file(1)"],
  ["git grep", "-O --open-files-in-pager --textconv", "runs a program", "git-grep(1)"],
  ["git archive", "-o --output --exec --remote", "writes a file or runs a program", "git-archive(1)"],
  ["git format-patch", "-o --output-directory --ext-diff", "writes files", "git-format-patch(1)"],
  ["git clone", "-u -c --upload-pack --config --template", "runs a program", "git-clone(1)"],
  ["git fetch", "--upload-pack", "runs a program", "git-fetch(1)"],
  ["git pull", "--upload-pack", "runs a program", "git-pull(1)"],
  ["git ls-remote", "--upload-pack --exec", "runs a program", "git-ls-remote(1), CVE-2025-66032"],
  ["git push", "--receive-pack --exec", "runs a program", "git-push(1)"],
  ["git rebase", "-x --exec", "runs a program", "git-rebase(1)"],
  ["git bisect", "run", "runs a program", "git-bisect(1)"],
  ["git submodule", "foreach", "runs a program", "git-submodule(1)"],
  ["git difftool", "-x --extcmd", "runs a program", "git-difftool(1)"],
];

const ROWS: ReadonlyMap<string, readonly Action[]> = new Map(
  Object.entries(
    Object.groupBy(
      TABLE.flatMap(([programs, spellings, does]) =>
        programs.split(", ").map((program) => ({ program, spellings: spellings.split(" "), does })),
      ),
      ({ program }) => program,
    ),
  ).map(([program, rows]) => [program, rows ?? []]),
);

const SUBCOMMAND_ROWS: ReadonlyMap<string, ReadonlyMap<string, readonly Action[]>> = new Map(
  ["git", "npm", "go"].map((program) => [
    program,
    new Map(
      Array.from(ROWS).flatMap(([name, rows]) =>
        name.startsWith(`${program} `) ? [[name.slice(program.length + 1), rows] as const] : [],
      ),
    ),
  ]),
);
