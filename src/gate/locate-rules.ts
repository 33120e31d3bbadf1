import { findNodeAtLocation, parseTree } from "jsonc-parser";
import type { Effect } from "../contract/gate.ts";

/** The line, from 1, that a rule of a policy file stands in; nothing where the text does not say. */
export type LocateRule = (effect: Effect, index: number) => number | undefined;

/** Finds the rules of a policy in the text that it was read from. */
export function locateRules(text: string | undefined): LocateRule {
  if (text === undefined) return () => undefined;
  const tree = parseTree(text);
  return (effect, index) => {
    const node = tree === undefined ? undefined : findNodeAtLocation(tree, [effect, index]);
    return node === undefined ? undefined : text.slice(0, node.offset).split("\n").length;
  };
}
