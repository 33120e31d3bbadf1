import type { Tool, ToolOutcome } from "../contract/tool.ts";
import { toolSearchMessages } from "../errors/messages/tool-search.ts";
import { compareNames } from "./compare-names.ts";
import { defineTool } from "./define-tool.ts";
import { nearestNames } from "./nearest-names.ts";

/** What `tool_search` looks through. */
export interface ToolSearchOptions {
  /** The tools that the model is not shown. */
  readonly tools: readonly Tool[];
  /** Told the name of each tool that was found. */
  readonly onFound: (name: string) => void;
}

/** Makes `tool_search`, which finds tools by name or by keywords and gives at most five of them with their schemas. */
export function createToolSearch({ tools, onFound }: ToolSearchOptions): Tool {
  return defineTool({
    name: "tool_search",
    description: toolSearchMessages.description(tools.length, MAX_FOUND),
    risk: "read",
    parameters: {
      type: "object",
      properties: {
        query: { type: "string", minLength: 1, maxLength: 500, description: toolSearchMessages.query },
      },
      required: ["query"],
    },
    execute: ({ query }) => {
      const { found, notes } = query.startsWith(SELECT)
        ? selectByName(tools, query.slice(SELECT.length))
        : searchByWords(tools, query);
      for (const { name } of found) onFound(name);
      return outcomeOf(found, notes);
    },
  });
}

const SELECT = "select:";
const MAX_FOUND = 5;

interface SearchAnswer {
  readonly found: readonly Tool[];
  /** What has to be said beside. */
  readonly notes: readonly string[];
}

function selectByName(tools: readonly Tool[], list: string): SearchAnswer {
  const wanted = [...new Set(list.split(",").map((name) => name.trim()))].filter((name) => name !== "");
  const byName = new Map(tools.map((tool) => [tool.name.toLowerCase(), tool]));
  const names = tools.map(({ name }) => name);
  const found = [...new Set(wanted.flatMap((name) => byName.get(name.toLowerCase()) ?? []))];
  const missing = wanted.filter((name) => !byName.has(name.toLowerCase()));
  const left = found.slice(MAX_FOUND).map(({ name }) => name);
  return {
    found: found.slice(0, MAX_FOUND),
    notes: [
      ...missing.map((name) => toolSearchMessages.noSuchTool(name, nearestNames(name, names))),
      ...(left.length === 0 ? [] : [toolSearchMessages.leftOut(left, MAX_FOUND)]),
      ...(wanted.length === 0 ? [toolSearchMessages.nothingSelected] : []),
    ],
  };
}

function searchByWords(tools: readonly Tool[], query: string): SearchAnswer {
  const words = wordsOf(query);
  const scored = tools
    .map((tool) => ({ tool, score: scoreOf(tool, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((left, right) => right.score - left.score || compareNames(left.tool.name, right.tool.name));
  const more = scored.length - MAX_FOUND;
  const notes = scored.length === 0 ? [toolSearchMessages.nothingFits(query)] : [];
  return {
    found: scored.slice(0, MAX_FOUND).map(({ tool }) => tool),
    notes: more > 0 ? [toolSearchMessages.moreFit(more)] : notes,
  };
}

/** A word of the name says most, then a capability, then the description; a part of a word counts less than all of it. */
function scoreOf({ name, capabilities, description }: Tool, words: readonly string[]): number {
  const places = [
    { text: wordsOf(name), weight: 6 },
    { text: capabilities.flatMap(wordsOf), weight: 4 },
    { text: wordsOf(description), weight: 2 },
  ];
  const scoreOfWord = (word: string): number =>
    Math.max(
      ...places.map(({ text, weight }) => {
        if (text.includes(word)) return weight;
        return word.length >= 3 && text.some((each) => each.includes(word)) ? weight / 2 : 0;
      }),
    );
  return words.reduce((sum, word) => sum + scoreOfWord(word), 0);
}

/** "readFile", "read_file" and "Read-file" are the same two words. */
function wordsOf(text: string): readonly string[] {
  const split = text.replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2").toLowerCase();
  return [...new Set(split.match(/[\p{L}\p{N}]+/gu) ?? [])];
}

function outcomeOf(found: readonly Tool[], notes: readonly string[]): ToolOutcome {
  const specs = found.map(({ spec }) => spec);
  const shown = specs.map(({ name, description, parameters }) =>
    toolSearchMessages.oneFound(name, description, JSON.stringify(parameters)),
  );
  return { success: true, output: [...shown, ...notes].join("\n\n"), structured: { tools: specs } };
}
