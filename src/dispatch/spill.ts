/**
 * One budget for what any tool shows the model. Beyond it the whole text goes to a file, and its head and tail stay
 * with a line between them that says how to read on. Where a tool gives content blocks of its own, their texts count
 * together: over the budget they become one text, and what is no text (images, the addresses of resources) stays as it
 * is. `structured` is for programs and is left alone.
 */
import type { ContentBlock, ToolResult } from "../contract/tool-result.ts";
import type { Tool } from "../contract/tool.ts";
import { outputMessages } from "../errors/messages/outputs.ts";
import { characterBorder } from "../state/character-border.ts";
import type { OutputStore } from "../state/output-store.ts";

/** Where long outputs go, and what is long. */
export interface SpillOptions {
  readonly outputs: OutputStore;
  readonly maxCharacters: number;
}

/** Step 9: shortens what is over the budget, the tool's own or the engine's. A result within it is given back as it is. */
export function spill(
  result: ToolResult,
  options: SpillOptions,
  tool?: Pick<Tool, "maxOutputCharacters">,
): ToolResult | Promise<ToolResult> {
  const maxCharacters = tool?.maxOutputCharacters ?? options.maxCharacters;
  return longestOf(result) <= maxCharacters ? result : shorten(result, new Spiller({ ...options, maxCharacters }));
}

async function shorten(result: ToolResult, spiller: Spiller): Promise<ToolResult> {
  const output = await spiller.shorten(result.output);
  const content = await spiller.shortenContent(result.content);
  const metadata = { ...result.metadata, spilled: spiller.kept };
  const shortened = { ...result, output, content, metadata };
  return shortened.success ? shortened : { ...shortened, error: await spiller.shorten(shortened.error) };
}

/** The characters of its longest part; the texts of the content count together. */
function longestOf(result: ToolResult): number {
  return Math.max(result.output.length, result.success ? 0 : result.error.length, lengthOf(result.content));
}

function textsOf(content: readonly ContentBlock[]): readonly string[] {
  return content.flatMap((block) => (block.type === "image" ? [] : (block.text ?? [])));
}

function lengthOf(content: readonly ContentBlock[]): number {
  let characters = 0;
  for (const block of content) if (block.type !== "image") characters += block.text?.length ?? 0;
  return characters;
}

/** Shortens the texts of one result. A text that comes twice, as output and as content, is kept once. */
class Spiller {
  /** The ids of what was kept, with the lengths. */
  readonly kept: { readonly id: string; readonly characters: number }[] = [];
  readonly #options: SpillOptions;
  readonly #shortened = new Map<string, string>();

  constructor(options: SpillOptions) {
    this.#options = options;
  }

  async shorten(text: string): Promise<string> {
    if (text.length <= this.#options.maxCharacters) return text;
    const known = this.#shortened.get(text);
    if (known !== undefined) return known;
    const id = await this.#keep(text);
    const short = cut(text, this.#options.maxCharacters, id);
    this.#shortened.set(text, short);
    return short;
  }

  async shortenContent(content: readonly ContentBlock[]): Promise<readonly ContentBlock[]> {
    if (lengthOf(content) <= this.#options.maxCharacters) return content;
    const text = await this.shorten(textsOf(content).join("\n"));
    return [{ type: "text", text }, ...content.flatMap(withoutText)];
  }

  async #keep(text: string): Promise<string | undefined> {
    try {
      const id = await this.#options.outputs.keep(text);
      this.kept.push({ id, characters: text.length });
      return id;
    } catch {
      // A full disk must not cost the call its result; the text says that the middle is gone.
      return undefined;
    }
  }
}

function withoutText(block: ContentBlock): readonly ContentBlock[] {
  switch (block.type) {
    case "text":
      return [];
    case "image":
      return [block];
    case "resource": {
      const { text: _spilled, ...rest } = block;
      return [rest];
    }
  }
}

/** Characters that the line between head and tail may take. */
const LINE_CHARACTERS = 250;

function cut(text: string, maxCharacters: number, id: string | undefined): string {
  const half = Math.floor((maxCharacters - LINE_CHARACTERS) / 2);
  const headEnd = characterBorder(text, half);
  const tailStart = characterBorder(text, text.length - half);
  const characters = tailStart - headEnd;
  const line =
    id === undefined ? outputMessages.lost(characters) : outputMessages.leftOut({ characters, id, offset: headEnd });
  return `${text.slice(0, headEnd)}\n${line}\n${text.slice(tailStart)}`;
}
