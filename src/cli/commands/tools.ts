import type { Command } from "commander";
import type { Tool } from "../../contract/tool.ts";
import type { CommandContext } from "../command-context.ts";
import { newCommand, withRoot } from "../new-command.ts";
import { choiceOption } from "../options/choice-option.ts";
import { escapeText } from "../terminal/escape-text.ts";
import { renderTable } from "../terminal/render-table.ts";
import { writeJson } from "../terminal/write-json.ts";

interface ToolsFlags {
  readonly root: string;
  readonly format: "table" | "json";
}

/** `cofferdam tools`: what can be called. */
export function toolsCommand(context: CommandContext): Command {
  const command = newCommand(context, "tools", {
    summary: "list the tools that can be called",
    description: "Lists the tools with their risk, which decides where they run: read, write or exec.",
    example: "cofferdam tools --format json",
  });
  return withRoot(command)
    .addOption(choiceOption("--format <format>", "table or json", ["table", "json"]).default("table"))
    .action(async (flags: ToolsFlags) => await listTools(context, flags));
}

async function listTools(context: CommandContext, { root, format }: ToolsFlags): Promise<void> {
  await using engine = await context.openEngine({ root });
  if (format === "json") {
    writeJson(
      context.out,
      engine.tools.map(({ spec }) => spec),
    );
    return;
  }
  context.out.write(renderTable(engine.tools.map(toRow)));
}

function toRow({ name, risk, description }: Tool): readonly string[] {
  return [name, risk, escapeText(firstSentence(description))];
}

/** A description is written for a model and may be long; its first sentence says what the tool does. */
function firstSentence(description: string): string {
  return /^.*?[.!?](?=\s|$)/.exec(description)?.[0] ?? description.split("\n")[0] ?? "";
}
