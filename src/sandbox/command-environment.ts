/*
 * What every command finds in its environment, in whichever sandbox it runs: a home, a locale, and a git that takes
 * directories of any owner (`safe.directory`) and takes no optional locks, so that `git status` changes nothing in the
 * workspace.
 */

/** The writable home directory, the same in every sandbox. */
export const HOME_DIRECTORY = "/home/agent";

/** The environment of a command: what a request says, over what every command gets. */
export function commandEnvironment(asked: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return {
    HOME: HOME_DIRECTORY,
    LANG: "C.UTF-8",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "safe.directory",
    GIT_CONFIG_VALUE_0: "*",
    ...asked,
  };
}
