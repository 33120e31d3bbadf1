import { expect, it } from "vitest";
import { isAlive, mcpFixture } from "./mcp-fixture.ts";

const LOST = 'The connection to the MCP server "odd" was lost; the call may or may not have had its effect';

function pidOf(lines: readonly string[]): number {
  return Number(/^started (\d+)$/.exec(lines.findLast((line) => line.startsWith("started")) ?? "")?.[1]);
}

it("ServerConnection starts a server anew that has died, for the next call", async () => {
  await using fixture = await mcpFixture();
  const before = pidOf(await fixture.log());
  expect(await fixture.call("crash")).toMatchObject({ success: false, errorKind: "dependency", error: LOST });
  expect((await fixture.call("echo", { text: "back" })).output).toBe("back");
  expect(pidOf(await fixture.log())).not.toBe(before);
});

it("ServerConnection starts one server for calls that come together", async () => {
  await using fixture = await mcpFixture({ server: { risk: "read" } });
  await fixture.call("crash");
  const results = await Promise.all(["a", "b", "c"].map((text) => fixture.call("echo", { text })));
  expect(results.map((result) => result.output)).toEqual(["a", "b", "c"]);
  expect((await fixture.log()).filter((line) => line.startsWith("started"))).toHaveLength(2);
});

it("ServerConnection gives up after so many attempts, without a word of this machine's paths", async () => {
  await using fixture = await mcpFixture({ env: { DIES_AT_ONCE: "again" }, server: { connectAttempts: 2 } });
  await fixture.call("crash");
  expect(await fixture.call("echo", { text: "x" })).toMatchObject({
    success: false,
    errorKind: "dependency",
    error: 'Cannot reach the MCP server "odd": 2 attempts to connect failed; try again later',
  });
  expect((await fixture.log()).filter((line) => line.startsWith("started"))).toHaveLength(3);
});

it("ServerConnection does not read a message without end, and connects anew after it", async () => {
  await using fixture = await mcpFixture();
  expect(await fixture.call("flood")).toMatchObject({ success: false, errorKind: "dependency", error: LOST });
  expect((await fixture.call("echo", { text: "back" })).output).toBe("back");
});

it("ServerConnection passes over what is no message", async () => {
  await using fixture = await mcpFixture();
  expect(await fixture.call("noise")).toMatchObject({ success: true, output: "after the noise" });
});

it("ToolDrift puts a tool out of use when the server describes it otherwise, even when that is taken back", async () => {
  await using fixture = await mcpFixture();
  const changed = {
    success: false,
    errorKind: "unavailable",
    error:
      'Cannot run "mcp__odd__echo" now: its server describes it otherwise than when it was approved; whoever runs the engine has to look at it and connect anew',
  };
  await fixture.call("change");
  expect(await fixture.call("echo", { text: "secret" })).toMatchObject(changed);
  await fixture.call("change_back");
  expect(await fixture.call("echo", { text: "secret" })).toMatchObject(changed);
  expect((await fixture.log()).filter((line) => line.startsWith("called echo"))).toEqual([]);
  expect((await fixture.call("look")).output).toBe("nothing to see");
});

it("ToolDrift notices a change that the server says nothing of, once the last list is old", async () => {
  await using fixture = await mcpFixture({ server: { relistAfterMs: 1 } });
  expect((await fixture.call("echo", { text: "a" })).output).toBe("a");
  await fixture.call("change_silently");
  expect(await fixture.call("echo", { text: "secret" })).toMatchObject({ success: false, errorKind: "unavailable" });
  expect((await fixture.log()).filter((line) => line.startsWith("called echo"))).toEqual(['called echo {"text":"a"}']);
});

it("ToolDrift lets a tool that was gone be used when it is back unchanged", async () => {
  await using fixture = await mcpFixture();
  await fixture.call("remove_image");
  expect(await fixture.call("image")).toMatchObject({
    success: false,
    errorKind: "unavailable",
    error: 'Cannot run "mcp__odd__image" now: its server does not offer it any more',
  });
  await fixture.call("add_image");
  expect(await fixture.call("image")).toMatchObject({ success: true, output: "[image, image/png]" });
});

it("ToolDrift notices that a server came back with other tools", async () => {
  await using fixture = await mcpFixture({ env: { CHANGES_WHEN_RESTARTED: "1" } });
  expect((await fixture.call("echo", { text: "a" })).output).toBe("a");
  await fixture.call("crash");
  expect(await fixture.call("echo", { text: "secret" })).toMatchObject({ success: false, errorKind: "unavailable" });
  expect((await fixture.log()).filter((line) => line.startsWith("called echo"))).toEqual(['called echo {"text":"a"}']);
});

it("ServerConnection leaves no process behind when it is disposed of, nor what the server started", async () => {
  const pids: number[] = [];
  {
    await using fixture = await mcpFixture();
    pids.push(...(await fixture.call("child")).output.split(" ").map(Number));
    expect(await Promise.all(pids.map(isAlive))).toEqual([true, true]);
  }
  expect(await Promise.all(pids.map(isAlive))).toEqual([false, false]);
});

it("ServerConnection ends a server that does not want to end", async () => {
  const fixture = await mcpFixture({ env: { STUBBORN: "1" } });
  const pid = pidOf(await fixture.log());
  await fixture.server[Symbol.asyncDispose]();
  expect(await fixture.log()).toContain("ignored SIGTERM");
  expect(await isAlive(pid)).toBe(false);
  await fixture[Symbol.asyncDispose]();
});

it("ServerConnection answers no call after it was disposed of", async () => {
  await using fixture = await mcpFixture();
  await fixture.server[Symbol.asyncDispose]();
  expect(await fixture.call("echo", { text: "x" })).toMatchObject({
    success: false,
    errorKind: "unavailable",
    error: 'Cannot call the MCP server "odd": it has been closed',
  });
});
