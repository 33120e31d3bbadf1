import type { PartExplanation, PolicyExplanation } from "../../contract/policy-explanation.ts";
import { escapeText } from "./escape-text.ts";
import type { OutputStream } from "./output-stream.ts";
import { paint } from "./output-stream.ts";

/** The verdict, then each part with what decided about it and what would be needed. */
export function renderExplanation(
  { effect, reason, parts }: PolicyExplanation,
  stream: Pick<OutputStream, "hasColour">,
): string {
  const heading = paint(stream, "title", `${effect}: ${escapeText(reason)}`);
  return `${[heading, ...parts.flatMap(renderPart)].join("\n")}\n`;
}

function renderPart({ part, via, line, effect, reason, rule, needed }: PartExplanation): readonly string[] {
  const place = [...(line > 1 ? [`line ${line}`] : []), ...via.map((each) => `in ${escapeText(each)}`)].join(", ");
  const ruleLine = rule?.line === undefined ? "" : ` (line ${rule.line})`;
  return [
    `  ${effect.padEnd(5)}  ${escapeText(part)}${place === "" ? "" : `  [${place}]`}`,
    `         ${escapeText(reason)}${ruleLine}`,
    ...(needed === undefined ? [] : [`         needed: ${escapeText(needed)}`]),
  ];
}
