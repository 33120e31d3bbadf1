import type { Command } from "commander";
import type { Tool } from "../../contract/tool.ts";
import { ConfigurationError } from "../../errors/configuration-error.ts";
import { STRICT_NEEDS_OPENAI, toolProblem } from "../../errors/messages/cli.ts";
import type { Provider } from "../../tools/providers/provider.ts";
import type { CommandContext } from "../command-context.ts";
import { newCommand, withRoot } from "../new-command.ts";
import { choiceOption } from "../options/choice-option.ts";
import { escapeText } from "../terminal/escape-text.ts";
import { notify } from "../terminal/notify.ts";
import { renderTable } from "../terminal/render-table.ts";
import { writeJson } from "../terminal/write-json.ts";

interface ToolsFlags {
  readonly root: string;
  readonly format: "table" | "json" | Provider;
  readonly strict?: boolean;
}

const FORMATS: readonly ToolsFlags["format"][] = [
  "table",
  "json",
  "anthropic",
  "openai",
  "openai-responses",
  "gemini",
  "mcp",
];

/** `cofferdam tools`: what can be called. */
export function toolsCommand(context: CommandContext): Command {
  const command = newCommand(context, "tools", {
    summary: "list the tools that can be called",
    description:
      "Lists the tools with their risk, which decides where they run: read, write or exec. In a provider's format it prints what goes into a request, and says on stderr what the provider cannot be told.",
    example: "cofferdam tools --format anthropic",
  });
  return withRoot(command)
    .addOption(choiceOption("--format <format>", FORMATS.join(", "), FORMATS).default("table"))
    .option("--strict", "use OpenAI's strict mode for every tool that can be said in it")
    .action(async (flags: ToolsFlags) => await listTools(context, flags));
}

async function listTools(context: CommandContext, { root, format, strict = false }: ToolsFlags): Promise<void> {
  if (strict && format !== "openai" && format !== "openai-responses") throw new ConfigurationError(STRICT_NEEDS_OPENAI);
  await using engine = await context.openEngine({ root });
  if (format === "table") context.out.write(renderTable(engine.tools.map(toRow)));
  else if (format === "json") {
    writeJson(
      context.out,
      engine.tools.map(({ spec }) => spec),
    );
  } else await writeConverted(context, engine.tools, { provider: format, strict });
}

async function writeConverted(
  { out, err }: CommandContext,
  tools: readonly Tool[],
  { provider, strict }: { readonly provider: Provider; readonly strict: boolean },
): Promise<void> {
  // Loaded here, because the schema compiler behind it would delay every other command.
  const { convertTools } = await import("../../tools/providers/convert-tools.ts");
  const { lintTools } = await import("../../tools/providers/lint-tools.ts");
  for (const { tool, problem } of lintTools(tools, provider, { strict })) notify(err, toolProblem(tool, problem));
  writeJson(out, convertTools(tools, provider, { strict }));
}

function toRow({ name, risk, description }: Tool): readonly string[] {
  return [name, risk, escapeText(firstSentence(description))];
}

/** A description is written for a model and may be long; its first sentence says what the tool does. */
function firstSentence(description: string): string {
  return /^.*?[.!?](?=\s|$)/.exec(description)?.[0] ?? description.split("\n")[0] ?? "";
}
