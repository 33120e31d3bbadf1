import type { Tool } from "../../contract/tool.ts";
import { providerMessages } from "../../errors/messages/providers.ts";
import type { ConversionNote } from "./conversion-note.ts";
import {
  anthropicParameters,
  geminiParameters,
  type InputJsonSchema,
  mcpParameters,
  openAiParameters,
} from "./convert-parameters.ts";
import type { OpenAiOptions, Provider } from "./provider.ts";
import { mapToolNames } from "./provider-names.ts";
import { isSchemaObject } from "./schema-object.ts";
import { sortedByName } from "./sorted-by-name.ts";
import { mcpOutputSchema } from "./to-mcp-tools.ts";

/** Something of a tool that a provider would refuse as it is. */
export interface ToolProblem {
  readonly tool: string;
  readonly problem: string;
  /** What the converter sends says less than the tool's own schema does, or is refused all the same. */
  readonly lossy: boolean;
}

/**
 * Says what a provider would refuse of the tools, and whether the converter's rewriting loses something. Nothing is said of
 * what every tool goes through without loss, such as the nullable optionals of strict mode.
 * @throws ToolDefinitionError when two tools have the same name.
 */
export function lintTools(
  tools: readonly Tool[],
  provider: Provider,
  options: OpenAiOptions = {},
): readonly ToolProblem[] {
  const names = mapToolNames(tools, provider);
  const limit = MAX_TOOLS[provider];
  return sortedByName(tools).flatMap((tool, index) => {
    const name = names.toProvider(tool.name);
    const notes: readonly ConversionNote[] = [
      ...(name === tool.name ? [] : [{ problem: providerMessages.name(tool.name, name), lossy: false }]),
      ...notesOf(tool, provider, options),
      ...(limit !== undefined && index >= limit
        ? [{ problem: providerMessages.tooManyTools(limit), lossy: true }]
        : []),
    ];
    const distinct = new Map(notes.map((note) => [note.problem, note]));
    return [...distinct.values()].map(({ problem, lossy }) => ({ tool: tool.name, problem, lossy }));
  });
}

/** https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools */
const MAX_TOOLS: Readonly<Partial<Record<Provider, number>>> = { openai: 128, "openai-responses": 128 };

function notesOf(tool: Tool, provider: Provider, { strict = false }: OpenAiOptions): readonly ConversionNote[] {
  switch (provider) {
    case "anthropic": {
      const { schema, notes } = anthropicParameters(tool);
      return [...notes, ...keyNotes(schema)];
    }
    case "openai":
    case "openai-responses":
      return openAiParameters(tool, strict).notes;
    case "gemini":
      return geminiParameters(tool).notes;
    case "mcp": {
      const isLeftOut = tool.output !== undefined && mcpOutputSchema(tool) === undefined;
      const output = isLeftOut ? [{ problem: providerMessages.outputRoot, lossy: true }] : [];
      return [...mcpParameters(tool).notes, ...output];
    }
  }
}

/** Anthropic checks the keys at the top against `^[a-zA-Z0-9_.-]{1,64}$` and refuses the whole request for one of them. */
function keyNotes({ properties }: InputJsonSchema): readonly ConversionNote[] {
  return Object.keys(isSchemaObject(properties) ? properties : {})
    .filter((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key))
    .map((key) => ({ problem: providerMessages.keyRefused(key), lossy: true }));
}
