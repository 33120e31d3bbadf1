/*
 * Rules that a policy takes in with `"include": ["stock"]`, for commands that agents run all day. They are written for a
 * command that runs in a sandbox, on a copy of the workspace and without a network, so what they keep out is not harm to the
 * files: it is running what nobody named. Reading programs may have any arguments that keep them reading; the checks and builds
 * of a project may run, for they are the project's own code; what leaves the machine or asks for more rights is denied,
 * and `.git` is only written by git.
 */
import type { PolicyDefinition, PolicyRule } from "../../contract/gate.ts";

const ALLOWED: readonly string[] = [
  ...commands(
    "cat tac head tail wc nl rev cut tr fold paste join comm cmp diff expr seq sleep stat du df ls tree file",
  ),
  ...commands("grep egrep fgrep rg find fd sort uniq shuf column sed awk gawk jq yq base64 od xxd strings"),
  ...commands("md5sum sha1sum sha256sum sha512sum cksum basename dirname realpath readlink which type"),
  ...commands(
    "echo printf test [ true false : cd pwd exit return break continue shift set export unset read local wait",
  ),
  ...commands("date id whoami uname nproc hostname uptime free ps arch locale printenv"),
  ...commands("mkdir touch cp mv tee chmod"),
  ...rules("env", "sed -i:*", "command -v:*"),
  ...each(
    "git",
    "status diff log show blame grep ls-files ls-tree rev-parse rev-list describe shortlog cat-file merge-base",
  ),
  ...each(
    "git",
    "name-rev check-ignore check-attr diff-tree for-each-ref show-ref var count-objects add commit switch",
  ),
  ...each("git --no-pager", "status diff log show blame"),
  ...rules(
    "git branch",
    "git branch -a",
    "git branch -r",
    "git branch -v",
    "git branch -vv",
    "git branch --show-current",
  ),
  ...rules(
    "git branch --list:*",
    "git tag",
    "git tag -l:*",
    "git tag --list:*",
    "git remote",
    "git remote -v",
    "git reflog",
  ),
  ...rules(
    "git stash",
    "git stash list:*",
    "git stash push:*",
    "git stash pop",
    "git checkout -b:*",
    "git worktree list",
  ),
  ...rules("git config --get:*", "git config --list", "git config -l", "git init", "git --version", "git mv:*"),
  ...["npm", "pnpm", "yarn"].flatMap((manager) => [
    ...each(manager, "test t"),
    ...each(`${manager} run`, "test lint build typecheck type-check types format check verify coverage tsc compile"),
    ...rules(`${manager} --version`, `${manager} -v`, `${manager} ls:*`, `${manager} list:*`, `${manager} run`),
  ]),
  ...each("yarn", "lint build typecheck format"),
  ...each("pnpm", "lint build typecheck format"),
  ...commands("tsc eslint prettier vitest jest mocha oxlint biome knip"),
  ...rules("node --version", "node -v", "node --test:*", "node --check:*"),
  ...["python", "python3"].flatMap((python) =>
    rules(
      `${python} --version`,
      `${python} -V`,
      `${python} -m pytest:*`,
      `${python} -m unittest:*`,
      `${python} -m json.tool:*`,
    ),
  ),
  ...commands("pytest mypy flake8 black isort pylint"),
  ...rules("ruff check:*", "ruff format:*", "pip list:*", "pip show:*", "pip freeze", "pip --version"),
  ...each("go", "test build vet list fmt version env doc"),
  ...rules("gofmt:*"),
  ...each("cargo", "test build check clippy fmt tree metadata --version"),
  ...rules("rustc --version", "rustfmt:*"),
  ...rules("make", "make test", "make lint", "make build", "make check", "make all", "make format", "make -n:*"),
  ...rules(
    "mvn test",
    "mvn -q test",
    "gradle test",
    "./gradlew test",
    "./gradlew build",
    "dotnet test",
    "dotnet build",
  ),
  ...rules("rspec:*", "bundle exec rspec:*", "bundle exec rubocop:*", "rubocop:*", "php -l:*", "vendor/bin/phpunit:*"),
];

const DENIED: readonly PolicyRule[] = [
  ...because("it leaves the machine", "git push:*", "npm publish:*", "yarn publish:*", "yarn npm publish:*"),
  ...because("it leaves the machine", "pnpm publish:*", "cargo publish:*", "twine upload:*", "gem push:*", "gh:*"),
  ...because("a sandbox has no other rights to give", "sudo:*", "su:*", "doas:*", "pkexec:*", "runuser:*"),
  ...because("it would delete everything", "rm -rf /:*", "rm -rf ~:*", "rm -rf .git:*", "rm -rf /workspace:*"),
  ...because("it is for machines, not for workspaces", "shutdown:*", "reboot:*", "halt:*", "poweroff:*", "mkfs:*"),
];

/** The rules that ship. */
export const STOCK_POLICY: PolicyDefinition = {
  allow: ALLOWED,
  ask: [{ rule: "risk:write(.git)", justification: "settings and hooks of git run programs" }],
  deny: DENIED,
};

function commands(programs: string): readonly string[] {
  return programs.split(" ").map((program) => `shell(${program}:*)`);
}

function each(program: string, subcommands: string): readonly string[] {
  return subcommands.split(" ").map((subcommand) => `shell(${program} ${subcommand}:*)`);
}

function rules(...texts: readonly string[]): readonly string[] {
  return texts.map((text) => `shell(${text})`);
}

function because(justification: string, ...texts: readonly string[]): readonly PolicyRule[] {
  return rules(...texts).map((rule) => ({ rule, justification }));
}
