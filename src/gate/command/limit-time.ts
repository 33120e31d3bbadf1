/*
 * There are lines that the parser never comes to the end of, such as `$(( $[`, and it takes ever more memory over them. A
 * script of node:vm is what can be interrupted in this very thread, with all that it calls; no `catch` in there holds it up.
 */
import { createContext, Script } from "node:vm";
import type { AnalyseCommand, CommandAnalysis } from "./analysis.ts";

/** Most lines of a hundred thousand characters take less than half of that. */
const LONGEST_MS = 1_000;

/** A few words with nothing to expand, as most rules are: soon read, in a tenth of what it takes to set a limit. */
const PLAIN_LINE = /^[\w ./:@,+=-]{0,1000}$/;

/** Gives up on command lines that take too long to look at. */
export function limitTime(analyse: AnalyseCommand): AnalyseCommand {
  const context = createContext({ analyse, command: "" });
  const script = new Script("analyse(command)");
  return (command) => {
    if (PLAIN_LINE.test(command)) return analyse(command);
    context["command"] = command;
    try {
      // What the script returns is what `analyse` returned.
      return script.runInContext(context, { timeout: LONGEST_MS }) as CommandAnalysis;
    } catch (error) {
      if (isTimeout(error)) return { kind: "too-large", reason: "it takes too long to read" };
      throw error;
    } finally {
      context["command"] = "";
    }
  };
}

/** The error comes from the script's own realm, so that it is no instance of this one's `Error`. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === "object" && error !== null && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
  );
}
