import type { Risk } from "../../contract/risk.ts";
import { moduleMessages } from "../../errors/messages/module.ts";
import { RISKS } from "../check-definition.ts";
import type { DocTag } from "./doc-comment.ts";
import type { Report } from "./mistakes.ts";

/** What the tags of a doc comment say about a tool; each is called as the option of `defineTool`. */
export interface DocOptions {
  readonly risk?: Risk;
  readonly timeoutMs?: number;
  readonly idempotent?: boolean;
  readonly requiresApproval?: boolean;
}

/** Reads the tags. Those that are no options, such as `@returns`, say nothing about the tool. */
export function docOptions(tags: readonly DocTag[], report: Report): DocOptions {
  const textOf = (name: keyof DocOptions): string | undefined => {
    const [first, second] = tags.filter((tag) => tag.name === name);
    if (second !== undefined) report(moduleMessages.tagTwice(name));
    return first?.text;
  };
  return {
    ...riskOf(textOf("risk"), report),
    ...timeoutOf(textOf("timeoutMs"), report),
    ...flagOf("idempotent", textOf("idempotent"), report),
    ...flagOf("requiresApproval", textOf("requiresApproval"), report),
  };
}

function riskOf(text: string | undefined, report: Report): Pick<DocOptions, "risk"> {
  if (text === undefined) return {};
  const risk = RISKS.find((each) => each === text);
  if (risk !== undefined) return { risk };
  report(moduleMessages.badRisk(text));
  return {};
}

function timeoutOf(text: string | undefined, report: Report): Pick<DocOptions, "timeoutMs"> {
  if (text === undefined) return {};
  if (/^\d+$/.test(text)) return { timeoutMs: Number(text) };
  report(moduleMessages.badTimeout(text));
  return {};
}

function flagOf(tag: "idempotent" | "requiresApproval", text: string | undefined, report: Report): DocOptions {
  if (text === undefined) return {};
  if (text !== "") report(moduleMessages.flagWithText(tag, text));
  return { [tag]: true };
}
