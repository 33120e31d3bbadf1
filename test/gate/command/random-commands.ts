import * as fc from "fast-check";

const program = fc.constantFrom(
  "git",
  "npm",
  "rm",
  "ls",
  "cat",
  "p1",
  "p2",
  "sort",
  "grep",
  "tee",
  "./p1",
  "true",
  "echo",
  "cd",
);
const plain = fc.constantFrom(
  "a",
  "b",
  "push",
  "status",
  "-x",
  "--force",
  "-rf",
  "1",
  "a.txt",
  ".",
  "x=y",
  "",
  "--",
  "a[",
  "b]",
  "a[1]",
  "=",
  "@",
);

/** One word in some spelling: quoted, escaped, expanded, or made of several of these. */
function wordArbitrary(inner: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const single = fc.oneof(
    { weight: 40, arbitrary: plain },
    { weight: 2, arbitrary: plain.map((text) => `'${text}'`) },
    { weight: 2, arbitrary: plain.map((text) => `"${text}"`) },
    { weight: 2, arbitrary: plain.map((text) => `\\${text}`) },
    { weight: 2, arbitrary: plain.map((text) => `$'${text}\\x61'`) },
    { weight: 2, arbitrary: plain.map((text) => `${text}''b`) },
    {
      weight: 5,
      arbitrary: fc.constantFrom(
        '"a b"',
        "'a;rm b'",
        "a\\ b",
        "\"$(echo 'x)')\"",
        "'$(rm x)'",
        '"a\\$(rm x)"',
        "a\\;rm",
        "#c",
        "a#b",
        '"`',
        "'\"'",
      ),
    },
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        "$x",
        "${x}",
        '"$x"',
        "${x:-b}",
        "$1",
        '"$@"',
        "$?",
        "${#x}",
        "${x%y}",
        "${x/a/b}",
        "$((1+2))",
        "$((x))",
      ),
    },
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        "*",
        "*.txt",
        "[ab]",
        "?",
        "~",
        "~/a",
        "{a,b}",
        "{1..3}",
        "a{b,{c,d}}e",
        "{a}",
        "{a,b",
        "!(a)",
        "@(a|b)",
      ),
    },
    { weight: 1, arbitrary: inner.map((command) => `$(${command})`) },
    { weight: 1, arbitrary: inner.map((command) => `"$(${command})"`) },
    { weight: 1, arbitrary: inner.filter((command) => !/[`\\]/.test(command)).map((command) => `\`${command}\``) },
    { weight: 1, arbitrary: inner.map((command) => `\${x:-$(${command})}`) },
    { weight: 1, arbitrary: inner.map((command) => `<(${command})`) },
    { weight: 1, arbitrary: inner.map((command) => `$(( $(${command}) + 1 ))`) },
  );
  return fc.oneof(
    { weight: 8, arbitrary: single },
    { weight: 1, arbitrary: fc.tuple(single, single).map((parts) => parts.join("")) },
  );
}

/** The name of a program in some spelling. */
const spelled = fc.oneof(
  { weight: 8, arbitrary: program },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "g\\it",
      "g''it",
      'gi"t"',
      "$'gi\\x74'",
      "{git,push}",
      "g{it,x}",
      "\\git",
      "'git'",
      "$x",
      "$(echo git)",
      "./*",
      "gi?",
      "p[1]",
    ),
  },
);

const redirection = fc.constantFrom(
  ">out",
  "2>&1",
  "2>/dev/null",
  "<in",
  ">>out",
  "&>out",
  ">&2",
  "<<<'git push'",
  "2>&-",
  ">|out",
  "{fd}>out",
  "<<<$x",
);

const wrapper = fc.constantFrom(
  "env",
  "env A=1",
  "env -i",
  "env -u A",
  "env -S 'p1 a'",
  "env -C .",
  "timeout 5",
  "timeout -k 1 5",
  "timeout --signal=KILL 5",
  "timeout --kill 1 5",
  "nice",
  "nice -n 5",
  "nice -5",
  "nohup",
  "setsid -w",
  "stdbuf -oL",
  "stdbuf -o L",
  "command",
  "command -p",
  "command -v",
  "builtin",
  "exec",
  "exec -a z",
  "xargs",
  "xargs -n1",
  "echo a | xargs",
  "echo a b | xargs -n 1",
  "echo a | xargs -I{}",
  "echo {} | xargs -i",
  "! ",
  "time",
  "time -p",
  "eval",
  "find . -maxdepth 0 -exec",
  "A=1",
  "A=1 B='c d'",
  "trap",
);

const terminator = fc.constantFrom(";", "&&", "||", "|", "|&", "&", "\n", " ;", "\n\n", "# c\n", "\\\n;");

/** Command lines of everything that the analysis says it understands, and of a good deal that it does not. */
export const commandLine: fc.Arbitrary<string> = fc.letrec<{ line: string; simple: string }>((tie) => {
  const inner = fc.oneof({ maxDepth: 2, depthIdentifier: "line" }, program, tie("simple"), tie("line"));
  const word = wordArbitrary(inner);
  const words = fc.array(word, { maxLength: 2 }).map((list) => list.join(" "));
  const call = fc.tuple(spelled, words, fc.option(redirection, { nil: "", freq: 5 })).map((parts) => parts.join(" "));
  const quoted = inner.map((command) => `'${command.replaceAll("'", `'\\''`)}'`);
  const simple = fc.oneof(
    { weight: 8, arbitrary: call },
    { weight: 3, arbitrary: fc.tuple(wrapper, call).map((parts) => parts.join(" ")) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          fc.constantFrom("bash -c", "sh -c", "bash -ec", "eval", "bash <<<", "dash -c", "trap", "timeout 5 bash -c"),
          quoted,
        )
        .map(([name, text]) => (name === "trap" ? `trap ${text} EXIT` : `${name} ${text}`)),
    },
    { weight: 1, arbitrary: fc.tuple(call, inner).map(([name, text]) => `${name} <<EOF\n${text}\nEOF\n`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom("cat", "bash", "p1"), inner)
        .map(([name, text]) => `${name} <<'EOF'\n${text}\nEOF\n`),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom("x=", "x=git ", "local x=", "export x=", "x+=", "a[1]=", "a=("), word)
        .map(([name, value]) => `${name}${value}${name === "a=(" ? ")" : ""}`),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(call, words).map(([command, rest]) => `find . -maxdepth 0 ${rest} -exec ${command} \\;`),
    },
  );
  const compound = fc.oneof(
    inner.map((body) => `{ ${body}; }`),
    inner.map((body) => `(${body})`),
    fc.tuple(inner, inner, inner).map(([a, b, c]) => `if ${a}; then ${b}; else ${c}; fi`),
    fc.tuple(words, inner).map(([list, body]) => `for x in ${list}; do ${body}; done`),
    inner.map((body) => `for ((i=0;i<2;i++)); do ${body}; done`),
    fc.tuple(word, inner).map(([subject, body]) => `case ${subject} in a|b) ${body};; *) p2;; esac`),
    inner.map((body) => `while false; do ${body}; done`),
    inner.map((body) => `until true; do ${body}; done`),
    fc.tuple(fc.constantFrom("f", "git", "ls"), inner).map(([name, body]) => `${name}() { ${body}; }; ${name} push`),
    fc
      .tuple(word, fc.constantFrom("==", "=~", "-eq", "<", "!="))
      .map(([subject, operator]) => `[[ ${subject} ${operator} ${subject} ]]`),
    fc.constantFrom(
      "((x=1))",
      "[ -f a ]",
      "test -v x",
      "read -r x <in",
      "set -euo pipefail",
      "alias ls='git push'",
      "let x=1",
      "((x++))",
      "x='a[$(p1)]'; echo $((x))",
    ),
  );
  const part = fc.oneof({ weight: 6, arbitrary: tie("simple") }, { weight: 2, arbitrary: compound });
  return {
    simple,
    line: fc.oneof(
      { weight: 2, arbitrary: part },
      { weight: 3, arbitrary: fc.tuple(part, terminator, part).map((parts) => parts.join(" ")) },
      { weight: 1, arbitrary: fc.tuple(part, terminator, part, terminator, part).map((parts) => parts.join(" ")) },
    ),
  };
}).line;

const damage = fc.constantFrom(
  ..."'\"\\$(){}[];&|<>\n #!*?=~`\t".split(""),
  "$(",
  "${",
  "<<",
  "))",
  ";;",
  "\\\n",
  "<(",
  "$'",
  '$"',
  "&&",
  "do",
  "EOF\n",
);

/** A command line with something put into it or taken out of it somewhere, so that its quotes and brackets go astray. */
export const damagedLine: fc.Arbitrary<string> = fc
  .tuple(commandLine, fc.nat(), fc.array(damage, { minLength: 0, maxLength: 2 }), fc.nat({ max: 2 }))
  .map(([line, position, pieces, removed]) => {
    const at = position % (line.length + 1);
    return line.slice(0, at) + pieces.join("") + line.slice(at + removed);
  });
