/** What the seed systems say of tools that are there from the start, of images and of commands. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Execution } from "../../src/contract/sandbox.ts";
import { ConfigurationError } from "../../src/errors/configuration-error.ts";
import { fakeBackend } from "../../src/testing/fake-backend.ts";
import { approveAll } from "../../src/testing/reviewers.ts";
import { webSearchTool } from "../../src/tools/builtin/web-search.ts";
import { coreTools } from "../../src/tools/core-tools.ts";
import { toAnthropicToolResult } from "../../src/tools/providers/to-anthropic-tool-result.ts";
import { toOpenAiToolMessages } from "../../src/tools/providers/to-openai-tool-messages.ts";
import { ToolGroup } from "../../src/tools/tool-group.ts";
import { temporaryEngine } from "../fixtures/temporary-engine.ts";
import { answers, askAll, readTool } from "./seed-engine.ts";

/** The first bytes of each kind of image that models take. */
const IMAGES = {
  "image/png": Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"),
  "image/jpeg": Buffer.from("ffd8ffe000104a464946000101000001", "hex"),
  "image/gif": Buffer.from("GIF89a\x01\x00\x01\x00", "latin1"),
  "image/webp": Buffer.from("RIFF\x08\x00\x00\x00WEBPVP8 ", "latin1"),
};

describe("Chimera", () => {
  it("CH-08 the default tools read, write, run commands and show images, by themselves or spread into a group", async () => {
    const backends = [fakeBackend(() => ({ stdout: "ran\n" }))];
    const own = readTool("own", () => "own");
    await using plain = await temporaryEngine({ backends, reviewer: approveAll });
    await using grouped = await temporaryEngine({
      backends,
      reviewer: approveAll,
      tools: [new ToolGroup("coding", [...coreTools(), own])],
    });
    for (const { engine, root } of [plain, grouped]) {
      await writeFile(join(root, "dot.png"), IMAGES["image/png"]);
      const results = await askAll(
        engine,
        ["write_file", { path: "a.txt", content: "one\n" }],
        ["read_file", { path: "a.txt" }],
        ["shell", { command: "make" }],
        ["read_image", { path: "dot.png" }],
        ["own"],
      );
      expect(results.map((result) => (result.success ? result.output : result.errorKind))).toEqual([
        "Created a.txt (1 line, 4 bytes)",
        "     1\tone\n(all of 1 line)",
        "ran",
        "dot.png: image/png, 16 bytes",
        engine === plain.engine ? "not-found" : "own",
      ]);
    }
  });

  it("CH-10 there are 20 built-in tools", async () => {
    const search = webSearchTool({ search: async () => await Promise.resolve([]) });
    await using temporary = await temporaryEngine({ tools: [...coreTools(), search], toolSearch: { above: 1 } });
    const names = ["apply_patch", "ask_user", "delete_file", "edit_file", "finish", "glob", "grep", "list_files"];
    names.push("make_directory", "move_file", "multi_edit", "read_file", "read_image", "read_output");
    names.push("run_javascript", "shell", "todo", "tool_search", "web_search", "write_file");
    expect(temporary.engine.tools.map(({ name }) => name)).toEqual(names);
    expect(names).toHaveLength(20);
  });

  it("CH-38 a caller who wants a failed command to stop the calls behind it aborts, and those are answered too", async () => {
    const backend = fakeBackend(() => ({ exitCode: 1 }));
    const controller = new AbortController();
    await using temporary = await temporaryEngine({ backends: [backend], reviewer: approveAll });
    const calls = ["false", "true"].map((command) => ({ id: command, name: "shell", input: { command } }));
    const results = await temporary.engine.dispatchAll(calls, {
      signal: controller.signal,
      onEvent: (event) => {
        if (event.type === "call-settled" && event.callId === "false" && !event.result.success) controller.abort();
      },
    });
    expect(results).toMatchObject([
      { callId: "false", errorKind: "business", error: "Exit code 1" },
      { callId: "true", errorKind: "cancelled", attempts: 0, error: '"shell" was cancelled before it started' },
    ]);
    expect(backend.commands).toHaveLength(1);
  });
});

describe("alpineagents", () => {
  it.each(Object.entries(IMAGES))(
    "AL-33 %s goes to the model as an image, in a message of its own where results hold text only",
    async (mimeType, bytes) => {
      await using temporary = await temporaryEngine({ maxOutputCharacters: 2_000 });
      await writeFile(join(temporary.root, "image"), Buffer.concat([bytes, Buffer.alloc(3_000)]));
      const results = await askAll(temporary.engine, ["read_image", { path: "image" }], ["read_image", { path: "no" }]);
      const data = Buffer.concat([bytes, Buffer.alloc(3_000)]).toString("base64");
      const said = `image: ${mimeType}, ${(bytes.byteLength + 3_000).toLocaleString("en")} bytes`;
      // An image counts as an image and not as 4,000 characters of base64.
      expect(results.map(toAnthropicToolResult)[0]?.content).toEqual([
        { type: "text", text: said },
        { type: "image", source: { type: "base64", media_type: mimeType, data } },
      ]);
      expect(toOpenAiToolMessages(results)).toEqual([
        { role: "tool", tool_call_id: "1", content: `${said}\n[an image, shown below]` },
        { role: "tool", tool_call_id: "2", content: expect.stringMatching(/^Error: Cannot read "no": /) },
        {
          role: "user",
          content: [
            { type: "text", text: "Images from read_image:" },
            { type: "image_url", image_url: { url: `data:${mimeType};base64,${data}` } },
          ],
        },
      ]);
    },
  );
});

describe("OpenAgentSDK", () => {
  it("SW-27 a command has 120 s, 600 s at most; its exit code is told, and what it printed before its time was over", async () => {
    await expect(temporaryEngine({ sandbox: { timeoutMs: 600_001 } })).rejects.toThrow(ConfigurationError);
    const endings: Partial<Execution>[] = [
      { exitCode: 3, stdout: "three\n" },
      { termination: "timeout", exitCode: null, stdout: "so far\n" },
      { stdout: `${"a".repeat(60_000)}${"b".repeat(60_000)}` },
    ];
    const backend = fakeBackend(() => endings.shift() ?? {});
    const commands = ["one", "two", "three"].map((command) => ["shell", { command }] as const);
    const results = await answers({ backends: [backend], reviewer: approveAll }, ...commands);
    expect(backend.commands.map(({ options }) => options.timeoutMs > 13_000 && options.timeoutMs <= 120_000)).toEqual([
      true,
      true,
      true,
    ]);
    expect(results).toMatchObject([
      { error: "Exit code 3", output: "three\nExit code 3", metadata: { exitCode: 3 } },
      { errorKind: "timeout", output: expect.stringMatching(/^so far\n/) },
      { success: true, output: expect.stringMatching(/^a+\n\(90,250 characters are left out here; .*\)\nb+$/) },
    ]);
  });
});
