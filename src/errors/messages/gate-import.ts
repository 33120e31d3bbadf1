/** Sentences about rules that are translated. */

/** Settings that hold no rules. */
export const NO_PERMISSIONS =
  'Cannot import the rules: there are none; give settings such as {"permissions": {"allow": ["Bash(npm test)"]}}';

/** Why a rule was not translated. */
export const importProblems = {
  tool: "there is no tool that stands for it",
  star: 'a star can only stand at the end of a command, as ":*"',
  domain: 'a page is chosen by "domain:…" only',
  outside: "the path lies outside of the workspace, which no tool reaches",
  mode: "there is no such mode; a sandbox is never left",
} as const;
