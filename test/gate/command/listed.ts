import type { CommandAnalysis, CommandPart, Word } from "../../../src/gate/command/analysis.ts";
import { programName } from "../../../src/gate/command/analysis.ts";
import type { TracedProgram } from "./traced-bash.ts";

/** Whether anything of a line could not be told. */
export function isUncertain(analysis: CommandAnalysis): boolean {
  return analysis.kind === "too-large" || analysis.parts.some((part) => part.kind === "opaque");
}

/** Whether the analysis lists this program with words that may become these arguments, or says that it cannot tell. */
export function isListed([name = "", ...args]: TracedProgram, analysis: CommandAnalysis): boolean {
  if (isUncertain(analysis) || analysis.kind === "too-large") return true;
  return analysis.parts.some(
    (part) =>
      isScriptOf(part, name) ||
      (part.kind === "command" && programName(part.program) === name && mayBecome(part.args, args)),
  );
}

function mayBecome([word, ...words]: readonly Word[], args: readonly string[]): boolean {
  if (word === undefined) return args.length === 0;
  const [arg] = args;
  if (word.kind === "static") return isText(arg, word.text) && mayBecome(words, args.slice(1));
  const takesOne =
    arg !== undefined && isText(arg.slice(0, word.start.length), word.start) && mayBecome(words, args.slice(1));
  if (word.count === "one") return takesOne;
  return (
    mayBecome(words, args) ||
    (arg !== undefined && arg.startsWith(word.start) && mayBecome([word, ...words], args.slice(1)))
  );
}

/** A tilde stands for a directory that only the shell knows. */
function isText(arg: string | undefined, text: string): boolean {
  return arg === text || (text.startsWith("~") && arg?.endsWith(text.slice(1)) === true);
}

/** `bash p1` runs the file p1, whatever that is. */
function isScriptOf(part: CommandPart, name: string): boolean {
  if (part.kind !== "command") return false;
  // What is read into the shell itself runs under its name.
  if (part.program === "." || part.program === "source") return true;
  if (!/^(?:ba|da)?sh$/.test(programName(part.program))) return false;
  return part.args.some((word) => word.kind === "static" && programName(word.text) === name);
}
