/**
 * A tool of ours has a name that every provider takes, and one that comes from elsewhere (an MCP server, code of the
 * caller) may be longer or have other characters. Such a name is rewritten, the same way each time, with a digest of
 * the whole name at its end, so that two tools never get the same one.
 *
 * - Anthropic: https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use#specifying-client-tools
 * - OpenAI: https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools
 * - Gemini: https://ai.google.dev/api/caching#FunctionDeclaration; it also begins with a letter or an underscore
 * - MCP: https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-names
 */
import type { Tool } from "../../contract/tool.ts";
import { providerMessages } from "../../errors/messages/providers.ts";
import { ToolDefinitionError } from "../../errors/tool-definition-error.ts";
import { sha256 } from "../../schema/canonical-json.ts";
import type { Provider } from "./provider.ts";

/** The names of tools, ours and a provider's. */
export interface ToolNames {
  /** The provider's name of a tool. */
  toProvider(name: string): string;
  /** The tool's own name; what the provider made up is given back as it is, for the pipeline to answer. */
  fromProvider(name: string): string;
}

/**
 * Maps the names of tools to names that a provider takes.
 * @throws ToolDefinitionError when two tools have the same name, or are given the same one.
 */
export function mapToolNames(tools: readonly Pick<Tool, "name">[], provider: Provider): ToolNames {
  const forward = new Map<string, string>();
  const backward = new Map<string, string>();
  for (const { name } of tools) {
    if (forward.has(name)) throw new ToolDefinitionError(providerMessages.nameTwice(name));
    const given = providerName(name, provider);
    const other = backward.get(given);
    if (other !== undefined) throw new ToolDefinitionError(providerMessages.nameTaken(name, other, given));
    forward.set(name, given);
    backward.set(given, name);
  }
  return {
    toProvider: (name) => forward.get(name) ?? providerName(name, provider),
    fromProvider: (name) => backward.get(name) ?? name,
  };
}

interface NameRule {
  readonly accepted: RegExp;
  readonly refusedCharacters: RegExp;
  readonly maxCharacters: number;
}

const COMMON_RULE: NameRule = {
  accepted: /^[A-Za-z0-9_-]{1,64}$/,
  refusedCharacters: /[^A-Za-z0-9_-]/gu,
  maxCharacters: 64,
};
const RULES: Readonly<Record<Provider, NameRule>> = {
  anthropic: COMMON_RULE,
  openai: COMMON_RULE,
  "openai-responses": COMMON_RULE,
  gemini: { ...COMMON_RULE, accepted: /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/ },
  mcp: { accepted: /^[A-Za-z0-9._-]{1,128}$/, refusedCharacters: /[^A-Za-z0-9._-]/gu, maxCharacters: 128 },
};
const DIGEST_CHARACTERS = 8;

function providerName(name: string, provider: Provider): string {
  const { accepted, refusedCharacters, maxCharacters } = RULES[provider];
  if (accepted.test(name)) return name;
  const plain = name.replace(refusedCharacters, "_").slice(0, maxCharacters - DIGEST_CHARACTERS - 2);
  const begin = /^[A-Za-z_]/.test(plain) ? plain : `_${plain}`;
  return `${begin}_${sha256(name).slice(0, DIGEST_CHARACTERS)}`;
}
