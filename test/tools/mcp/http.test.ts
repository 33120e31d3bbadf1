import { expect, it } from "vitest";
import { approveAll } from "../../../src/testing/reviewers.ts";
import { mcpServer } from "../../../src/tools/mcp/mcp-server.ts";
import { temporaryEngine } from "../../fixtures/temporary-engine.ts";
import { startHttpServer } from "./http-server.ts";

it.each([
  ["auto", "2026-07-28"],
  ["legacy", "2025-11-25"],
] as const)("mcpServer() calls tools over HTTP with its headers, by the protocol %s", async (protocol, version) => {
  await using http = await startHttpServer();
  const definition = { name: "web", url: http.url, headers: { authorization: "Bearer t" } };
  await using server = await mcpServer(definition, { protocol });
  await using temporary = await temporaryEngine({ tools: [server], reviewer: approveAll });
  const result = await temporary.engine.dispatch({ id: "1", name: "mcp__web__echo", input: {} });
  expect(result).toMatchObject({ success: true, output: "over HTTP" });
  expect(http.calls).toEqual([`${version} Bearer t`]);
});

it("mcpServer() connects anew after an HTTP server was away", async () => {
  const first = await startHttpServer();
  await using server = await mcpServer({ name: "web", url: first.url }, { connectAttempts: 1 });
  await using temporary = await temporaryEngine({ tools: [server], reviewer: approveAll });
  const call = async () => await temporary.engine.dispatch({ id: "1", name: "mcp__web__echo", input: {} });
  await first[Symbol.asyncDispose]();
  const away = [await call(), await call()];
  expect(away.map((result) => !result.success && [result.errorKind, result.error])).toEqual([
    ["dependency", 'The connection to the MCP server "web" was lost; the call may or may not have had its effect'],
    ["dependency", 'Cannot reach the MCP server "web": 1 attempt to connect failed; try again later'],
  ]);
  await using _second = await startHttpServer(first.port);
  expect(await call()).toMatchObject({ success: true, output: "over HTTP" });
});

it("mcpServer() does not read an answer without end over HTTP", async () => {
  await using http = await startHttpServer();
  await using server = await mcpServer({ name: "web", url: http.url });
  await using temporary = await temporaryEngine({ tools: [server], reviewer: approveAll });
  const result = await temporary.engine.dispatch({ id: "1", name: "mcp__web__flood", input: {} });
  expect(result).toMatchObject({ success: false, errorKind: "dependency" });
});

it("mcpServer() says when nobody answers at an address", async () => {
  const http = await startHttpServer();
  await http[Symbol.asyncDispose]();
  await expect(mcpServer({ name: "web", url: http.url })).rejects.toThrow(
    /^Cannot connect to the MCP server "web": .*(?:ECONNREFUSED|fetch failed)/,
  );
});
