import { describe, expect, it } from "vitest";
import { checkEndpoint, checkSettings, settingsOf } from "../../../src/tools/mcp/check-options.ts";
import type { McpServerDefinition, McpServerOptions } from "../../../src/tools/mcp/mcp-options.ts";

const COMMAND = { name: "s", command: "server" };
const NAME_RULE = 'use 1 to 32 letters, digits, "-" and single "_" that neither begin nor end the name';

describe("checkEndpoint()", () => {
  it("fills in what was not given", () => {
    expect(checkEndpoint(COMMAND)).toEqual({ kind: "command", name: "s", command: "server", args: [], env: {} });
    const url = new URL("http://127.0.0.1:1/mcp");
    expect(checkEndpoint({ name: "s", url: url.href })).toEqual({ kind: "url", name: "s", url, headers: {} });
  });

  it.each(["", "a__b", "_a", "a_", "a.b", "a b", "x".repeat(33)])("refuses the name %j", (name) => {
    const message = `Cannot use an MCP server: "name" is ${JSON.stringify(name)}; ${NAME_RULE}`;
    expect(() => checkEndpoint({ name, command: "server" })).toThrow(message);
  });

  it.each<[unknown, string]>([
    [{ name: "s" }, 'it has neither or both of "command" and "url"; give one of them'],
    [{ ...COMMAND, url: "http://x" }, 'it has neither or both of "command" and "url"; give one of them'],
    [{ name: "s", url: "ftp://x/" }, '"url" is "ftp://x/"; give an address that begins with http:// or https://'],
    [{ name: "s", url: "nowhere" }, '"url" is "nowhere"; give an address that begins with http:// or https://'],
    [{ ...COMMAND, headers: {} }, "headers is not a known argument"],
    [{ ...COMMAND, arg: [] }, 'arg is not a known argument, did you mean "args"?'],
    [{ ...COMMAND, args: "--stdio" }, 'args must be an array, not "--stdio"'],
    [{ ...COMMAND, env: { TOKEN: 7 } }, "env.TOKEN must be a string, not 7"],
  ])("refuses %j", (definition, problem) => {
    // What plain JavaScript may hand over.
    expect(() => checkEndpoint(definition as McpServerDefinition)).toThrow(`Cannot use the MCP server "s": ${problem}`);
  });
});

describe("checkSettings()", () => {
  const endpoint = checkEndpoint(COMMAND);

  it("is careful where nothing was said", () => {
    expect(checkSettings(endpoint, {})).toEqual({
      risk: "exec",
      requiresApproval: false,
      timeoutMs: 60_000,
      maxTimeoutMs: 600_000,
      tools: {},
      include: ["**"],
      exclude: [],
      connectTimeoutMs: 30_000,
      connectAttempts: 3,
      relistAfterMs: 60_000,
      protocol: "legacy",
    });
    expect(checkSettings(checkEndpoint({ name: "s", url: "https://x" }), {}).protocol).toBe("auto");
  });

  it.each<[unknown, string]>([
    [{ risk: "none" }, 'risk must be "read", "write" or "exec", not "none"'],
    [{ tools: { t: { rsk: "read" } } }, 'tools.t.rsk is not a known argument, did you mean "risk"?'],
    [{ connectAttempts: 0 }, "connectAttempts must be at least 1, not 0"],
    [{ timeoutMs: 700_000 }, "timeoutMs must be at most 600000, not 700000"],
    [{ timeoutMs: 2, maxTimeoutMs: 1 }, '"timeoutMs" is 2 ms and "maxTimeoutMs" 1 ms; the second must not be less'],
    [
      { tools: { t: { timeoutMs: 600_000 } }, maxTimeoutMs: 70_000 },
      '"timeoutMs" is 600000 ms and "maxTimeoutMs" 70000 ms; the second must not be less',
    ],
  ])("refuses %j", (options, problem) => {
    // What plain JavaScript may hand over.
    const check = () => checkSettings(endpoint, options as McpServerOptions);
    expect(check).toThrow(`Cannot use the MCP server "s": ${problem}`);
  });

  it("lets a tool's own settings go before the server's", () => {
    const settings = checkSettings(endpoint, { risk: "read", tools: { t: { risk: "write", timeoutMs: 5 } } });
    const rest = { requiresApproval: false, maxTimeoutMs: 600_000 };
    expect(settingsOf(settings, "t")).toEqual({ ...rest, risk: "write", timeoutMs: 5 });
    expect(settingsOf(settings, "toString")).toEqual({ ...rest, risk: "read", timeoutMs: 60_000 });
  });
});
