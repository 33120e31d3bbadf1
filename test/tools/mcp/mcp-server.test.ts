import { expect, it } from "vitest";
import { scriptedReviewer } from "../../../src/testing/reviewers.ts";
import { mcpServer } from "../../../src/tools/mcp/mcp-server.ts";
import { mcpFixture } from "./mcp-fixture.ts";

it("mcpServer() makes tools under the server's name that answer what the server says", async () => {
  await using fixture = await mcpFixture();
  const { durationMs: _any, ...result } = await fixture.call("echo", { text: "hello" });
  expect(result).toEqual({
    callId: "1",
    tool: "mcp__odd__echo",
    success: true,
    output: "hello",
    content: [{ type: "text", text: "hello" }],
    metadata: {},
    changes: [],
    attempts: 1,
  });
  expect([...fixture.server].map((tool) => tool.name)).toContain("mcp__odd__echo");
});

it("mcpServer() lets no call reach the server that nobody approved", async () => {
  const reviewer = scriptedReviewer([{ decision: "deny", reason: "not today" }]);
  await using fixture = await mcpFixture({ engine: { reviewer } });
  const denied = await fixture.call("echo", { text: "secret" });
  const invalid = await fixture.call("echo", { txt: "secret" });
  expect([denied, invalid].map((result) => !result.success && result.errorKind)).toEqual(["denied", "validation"]);
  expect(reviewer.requests).toEqual([
    {
      callId: "1",
      tool: "mcp__odd__echo",
      risk: "exec",
      input: { text: "secret" },
      reason: 'the mode "default" says so for exec tools',
      timeoutMs: 600_000,
      signal: expect.any(AbortSignal),
      description: 'Call "echo" of the MCP server "odd", outside of every sandbox, with {"text":"secret"}',
      reach: {
        session: 'every call of "mcp__odd__echo", with any input, outside of the sandbox',
        always: {
          rule: "mcp__odd__echo",
          description: 'every call of "mcp__odd__echo", with any input, outside of the sandbox',
        },
      },
      enqueue: expect.any(Function),
    },
  ]);
  expect(await fixture.log()).toEqual([expect.stringMatching(/^started \d+$/)]);
});

it("mcpServer() sends the input that was approved and nothing beside it", async () => {
  await using fixture = await mcpFixture();
  await fixture.call("echo", { text: "hello" });
  expect((await fixture.log()).at(-1)).toBe('called echo {"text":"hello"}');
});

it("mcpServer() takes the risk from the options, by server and by tool", async () => {
  const server = { risk: "read", tools: { echo: { risk: "write" }, look: { requiresApproval: true } } } as const;
  await using fixture = await mcpFixture({ server });
  const { tools } = fixture.server;
  const riskOf = (name: string) => tools.find((tool) => tool.name === `mcp__odd__${name}`)?.risk;
  expect([riskOf("image"), riskOf("echo"), riskOf("look")]).toEqual(["read", "write", "read"]);
  expect(tools.filter((tool) => tool.requiresApproval).map((tool) => tool.name)).toEqual(["mcp__odd__look"]);
});

it("mcpServer() never lowers a risk by what the server says, and raises it", async () => {
  await using careful = await mcpFixture({ server: { include: ["look"] } });
  expect(careful.server.tools.map((tool) => tool.risk)).toEqual(["exec"]);
  await using trusting = await mcpFixture({ server: { risk: "read", include: ["wipe", "touch"] } });
  expect(trusting.server.tools.map((tool) => tool.risk)).toEqual(["exec", "write"]);
  const said = "because the server itself says that it changes things";
  expect(trusting.server.notices).toEqual([
    'The description of "mcp__odd__wipe" speaks to the model as no description should: "<IMPORTANT>"',
    `The risk of "mcp__odd__wipe" is "exec" and not "read" as configured, ${said}`,
    `The risk of "mcp__odd__touch" is "write" and not "read" as configured, ${said}`,
  ]);
});

it("mcpServer() takes hidden characters out of descriptions and leaves out what it cannot use", async () => {
  await using fixture = await mcpFixture({ server: { include: ["look", "smuggle", "broken schema", "touch"] } });
  expect(fixture.server.tools.map((tool) => [tool.name, tool.description])).toEqual([
    ["mcp__odd__look", "Looks and sees"],
    ["mcp__odd__touch", 'The tool "touch" of the MCP server "odd"'],
  ]);
  expect(fixture.server.notices).toEqual([
    'What "mcp__odd__look" says of itself held 3 hidden characters, which are taken out',
    'The tool "smuggle" of the server is left out: its schema holds hidden characters at properties."text"',
    expect.stringMatching(
      /^The tool "broken schema" of the server is left out: Cannot compile the schema: can't resolve/,
    ),
  ]);
});

it("mcpServer() leaves out what is excluded, even when it is included", async () => {
  await using fixture = await mcpFixture({ server: { include: ["e*"], exclude: ["*v*"] } });
  expect(fixture.server.tools.map((tool) => tool.name)).toEqual(["mcp__odd__echo"]);
});

it.each([
  [{ tools: { ecko: { risk: "read" } } }, "tools", "ecko"],
  [{ include: ["ech?x"] }, "include", "ech?x"],
] as const)("mcpServer() refuses options that name a tool which is not there: %j", async (server, option, name) => {
  await expect(mcpFixture({ server })).rejects.toThrow(
    `Cannot use the MCP server "odd": "${option}" names "${name}", and the server has no such tool; it has "echo", "look"`,
  );
});

it("callRemoteTool() keeps texts, images and resources, and names what has no counterpart", async () => {
  await using fixture = await mcpFixture();
  const { output, content } = await fixture.call("everything");
  expect(output.split("\n")).toEqual([
    "one",
    "[image, image/png]",
    "[audio, audio/wav, cannot be shown]",
    "two",
    "[image, image/png]",
    "[resource blob://1]",
    "[resource file:///three]",
  ]);
  expect(content).toEqual([
    { type: "text", text: "one" },
    { type: "image", data: expect.stringMatching(/^iVBOR/), mimeType: "image/png" },
    { type: "text", text: "[audio, audio/wav, cannot be shown]" },
    { type: "resource", uri: "note://1", mimeType: "text/plain", text: "two" },
    { type: "image", data: expect.stringMatching(/^iVBOR/), mimeType: "image/png" },
    { type: "resource", uri: "blob://1", mimeType: "application/zip" },
    { type: "resource", uri: "file:///three" },
  ]);
});

it("callRemoteTool() keeps structured content and checks it against what the tool declares", async () => {
  await using fixture = await mcpFixture();
  expect(await fixture.call("sum")).toMatchObject({ success: true, output: '{"sum":5}', structured: { sum: 5 } });
  // Its input schema is one that no strict compiler takes, and what the model left out is left to the server.
  expect((await fixture.log()).at(-1)).toBe("called sum {}");
  expect(await fixture.call("wrong_sum")).toMatchObject({
    success: false,
    errorKind: "dependency",
    error:
      'The MCP server "odd" answered with something else than its tool declares: sum must be an integer, not "five"',
  });
});

it("callRemoteTool() tells a failure of the tool from a refusal of its input", async () => {
  await using fixture = await mcpFixture();
  expect(await fixture.call("fail")).toMatchObject({
    success: false,
    errorKind: "business",
    error: "no such issue",
    content: [{ type: "text", text: "no such issue" }],
  });
  expect(await fixture.call("refuse")).toMatchObject({
    success: false,
    errorKind: "validation",
    error: expect.stringContaining("text is too rude"),
  });
});

it("callRemoteTool() gives up on a server that gives no sign of life, and tells it so", async () => {
  await using fixture = await mcpFixture({ server: { timeoutMs: 1_000 } });
  expect(await fixture.call("hang")).toMatchObject({
    success: false,
    errorKind: "timeout",
    error: 'The MCP server "odd" gave no sign of life for 1000 ms; the call was cancelled and may have had its effect',
  });
  // The same connection answers: the server got the cancellation before this call.
  expect((await fixture.call("echo", { text: "still there" })).output).toBe("still there");
  expect(await fixture.log()).toContain("cancelled hang");
});

it("callRemoteTool() waits as long as there is progress, reports it, and no longer than the whole time", async () => {
  await using fixture = await mcpFixture({ server: { timeoutMs: 1_500, maxTimeoutMs: 3_500 } });
  const progress: string[] = [];
  const onEvent = (event: { readonly type: string; readonly progress?: string }): void => {
    if (event.type === "call-progressed") progress.push(String(event.progress));
  };
  expect(await fixture.call("slow", { steps: 17 }, { onEvent })).toMatchObject({ success: true, output: "finished" });
  expect(progress.slice(0, 2)).toEqual(["1 of 17: at it", "2 of 17: at it"]);
  expect(await fixture.call("slow", { steps: 200 })).toMatchObject({
    success: false,
    errorKind: "timeout",
    error: 'The MCP server "odd" did not finish within 3500 ms; the call was cancelled and may have had its effect',
  });
});

it("callRemoteTool() cancels at the server what is cancelled here", async () => {
  await using fixture = await mcpFixture();
  const controller = new AbortController();
  const running = fixture.call("hang", {}, { signal: controller.signal });
  await expect.poll(async () => await fixture.log()).toContain("called hang {}");
  controller.abort();
  expect(await running).toMatchObject({ success: false, errorKind: "cancelled" });
  await expect.poll(async () => await fixture.log()).toContain("cancelled hang");
});

it("mcpServer() gives the server's process no more of the environment than it needs", async () => {
  await using fixture = await mcpFixture({ env: { TOKEN_FOR_IT: "t" } });
  const names: unknown = JSON.parse((await fixture.call("environment")).output);
  const inherited = ["HOME", "LANG", "PATH"].filter((name) => process.env[name] !== undefined);
  expect(names).toEqual([...inherited, "LOG_FILE", "TOKEN_FOR_IT"].toSorted());
});

it("mcpServer() says what a server that does not start printed", async () => {
  await expect(mcpFixture({ env: { DIES_AT_ONCE: "always" } })).rejects.toThrow(
    'Cannot connect to the MCP server "odd": the process ended with exit code 4; on stderr it said "no database at /var/lib/secret"',
  );
});

it("mcpServer() says when there is no such program", async () => {
  await expect(mcpServer({ name: "none", command: "/no/such/program" })).rejects.toThrow(
    'Cannot connect to the MCP server "none": spawn /no/such/program ENOENT',
  );
});

it("mcpServer() gives up on a program that never answers", async () => {
  const silent = { name: "silent", command: "sleep", args: ["1000"] };
  await expect(mcpServer(silent, { connectTimeoutMs: 200 })).rejects.toThrow(
    'Cannot connect to the MCP server "silent": Request timed out',
  );
});
