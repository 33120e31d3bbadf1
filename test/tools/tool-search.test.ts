import { describe, expect, it } from "vitest";
import type { Tool, ToolOutcome } from "../../src/contract/tool.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { createToolSearch } from "../../src/tools/tool-search.ts";

function tool(name: string, description: string, capabilities: readonly string[] = []) {
  return defineTool({ name, description, risk: "read", capabilities, execute: () => name });
}

const TOOLS = [
  tool("sendMail", "Sends a letter to somebody"),
  tool("list_mails", "Lists what came in", ["mail"]),
  tool("post", "Sends something by post", ["mail"]),
  tool("translate", "Translates a text"),
];

interface Answer {
  readonly output: string;
  readonly found: readonly string[];
}

function search(query: string, tools: readonly Tool[] = TOOLS): Answer {
  const found: string[] = [];
  const searchTool = createToolSearch({ tools, onFound: (name) => found.push(name) });
  const { output = "" } = searchTool.execute({ query } as never, undefined as never) as ToolOutcome;
  return { output, found };
}

const shown = (name: string, description: string) =>
  `${name}: ${description}\nInput: {"type":"object","properties":{},"additionalProperties":false}`;

describe("tool_search", () => {
  it("says how many tools there are and how to ask", () => {
    const { description, risk } = createToolSearch({ tools: TOOLS, onFound: () => undefined });
    expect({ description, risk }).toEqual({
      description:
        'Find tools that are not shown: there are 4 more. Give keywords, or "select:NAME,NAME" for tools whose names you know. Answers with at most 5 tools, each with its description and the JSON Schema of its input; they can be called from then on',
      risk: "read",
    });
  });

  it.each([
    ["words of the name before capabilities before descriptions", "mail", ["sendMail", "list_mails", "post"]],
    ["more words before fewer", "letter mail", ["sendMail", "list_mails", "post"]],
    ["the form that names have in code", "LIST-MAILS", ["list_mails"]],
    ["parts of words from three letters on", "transl", ["translate"]],
    ["no part of two letters", "tr", []],
  ])("ranks by %s", (_title, query, names) => {
    expect(search(query).found).toEqual(names);
  });

  it("gives each tool as the model needs it to call it", () => {
    expect(search("translate")).toEqual({ output: shown("translate", "Translates a text"), found: ["translate"] });
  });

  it("gives the specs as data too", () => {
    const searchTool = createToolSearch({ tools: TOOLS, onFound: () => undefined });
    const outcome = searchTool.execute({ query: "select:post" } as never, undefined as never);
    expect(outcome).toMatchObject({ success: true, structured: { tools: [TOOLS[2]?.spec] } });
  });

  it("gives at most five and says how many more there are", () => {
    const many = Array.from({ length: 7 }, (_, index) => tool(`mail_${index}`, "Sends"));
    const { output, found } = search("mail", many);
    expect(found).toEqual(["mail_0", "mail_1", "mail_2", "mail_3", "mail_4"]);
    expect(output.split("\n\n").at(-1)).toBe("2 more tools fit; use more keywords to find them");
  });

  it("selects by name, whatever the case, in the order asked", () => {
    expect(search("select:POST, sendmail,post").found).toEqual(["post", "sendMail"]);
  });

  it("selects five at most and names the others", () => {
    const many = Array.from({ length: 7 }, (_, index) => tool(`mail_${index}`, "Sends"));
    const { output, found } = search(`select:${many.map(({ name }) => name).join(",")}`, many);
    expect(found).toHaveLength(5);
    expect(output.split("\n\n").at(-1)).toBe(
      "At most 5 tools are given at once; ask for these in another call: mail_5, mail_6",
    );
  });

  it.each([
    ["select:pots", 'There is no tool "pots"; did you mean "post"?'],
    ["select:qqqqqqqqqqqqqqq", 'There is no tool "qqqqqqqqqqqqqqq"; search by keywords'],
    ["select: ,", 'No name stands after "select:"; write names with commas between them'],
    ["weather", 'No tool fits "weather"; use other or fewer keywords'],
  ])("says what is wrong with %j", (query, output) => {
    expect(search(query)).toEqual({ output, found: [] });
  });
});
