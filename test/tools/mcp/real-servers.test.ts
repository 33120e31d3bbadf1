import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DispatchOptions } from "../../../src/contract/event.ts";
import type { ToolResult } from "../../../src/contract/tool-result.ts";
import { approveAll } from "../../../src/testing/reviewers.ts";
import type { McpServer, McpServerOptions } from "../../../src/tools/mcp/mcp-options.ts";
import { mcpServer } from "../../../src/tools/mcp/mcp-server.ts";
import { temporaryEngine } from "../../fixtures/temporary-engine.ts";

interface RealServer extends AsyncDisposable {
  readonly server: McpServer;
  call(tool: string, input?: unknown, options?: DispatchOptions): Promise<ToolResult>;
}

async function openServer(
  name: "everything" | "filesystem",
  args: readonly string[],
  options: McpServerOptions = {},
): Promise<RealServer> {
  const manifest = createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/package.json`);
  const program = join(dirname(manifest), "dist/index.js");
  const server = await mcpServer({ name, command: process.execPath, args: [program, ...args] }, options);
  const temporary = await temporaryEngine({ tools: [server], reviewer: approveAll });
  return {
    server,
    call: async (tool, input = {}, dispatchOptions = {}) =>
      await temporary.engine.dispatch({ id: "1", name: `mcp__${name}__${tool}`, input }, dispatchOptions),
    [Symbol.asyncDispose]: async () => {
      await temporary[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe("mcpServer() with the everything server", () => {
  it("gives texts, images, resources and structured content", async () => {
    await using everything = await openServer("everything", ["stdio"]);
    expect(everything.server.notices).toEqual([]);
    expect(await everything.call("echo", { message: "hello" })).toMatchObject({ success: true, output: "Echo: hello" });
    expect(await everything.call("get-sum", { a: 2, b: 3 })).toMatchObject({
      success: true,
      output: "The sum of 2 and 3 is 5.",
    });
    expect((await everything.call("get-tiny-image")).content).toContainEqual({
      type: "image",
      data: expect.stringMatching(/^iVBOR/),
      mimeType: "image/png",
    });
    expect((await everything.call("get-resource-links", { count: 2 })).content).toContainEqual(
      expect.objectContaining({ type: "resource", uri: expect.stringMatching(/^demo:\/\/resource\//) }),
    );
    expect(await everything.call("get-structured-content", { location: "Chicago" })).toMatchObject({
      success: true,
      structured: { conditions: expect.any(String), humidity: expect.any(Number), temperature: expect.any(Number) },
    });
  });

  it("checks inputs against the server's schema before anything is sent", async () => {
    await using everything = await openServer("everything", ["stdio"]);
    expect(await everything.call("get-sum", { a: "two", b: 3 })).toMatchObject({
      success: false,
      errorKind: "validation",
    });
  });

  it("gives the process nothing of the environment that was not chosen", async () => {
    process.env["SECRET_OF_THE_ENGINE"] = "1234";
    try {
      await using everything = await openServer("everything", ["stdio"]);
      expect((await everything.call("get-env")).output).not.toContain("SECRET_OF_THE_ENGINE");
    } finally {
      delete process.env["SECRET_OF_THE_ENGINE"];
    }
  });

  it("waits for a long operation as long as it reports progress, and gives up without", async () => {
    await using everything = await openServer("everything", ["stdio"], { timeoutMs: 3_000 });
    const progress: unknown[] = [];
    const onEvent = (event: { readonly type: string; readonly progress?: string }): void => {
      if (event.type === "call-progressed") progress.push(event.progress);
    };
    const long = { duration: 5, steps: 5 };
    expect(await everything.call("trigger-long-running-operation", long, { onEvent })).toMatchObject({ success: true });
    expect(progress.length).toBeGreaterThan(1);
    const silent = { duration: 30, steps: 1 };
    expect(await everything.call("trigger-long-running-operation", silent)).toMatchObject({
      success: false,
      errorKind: "timeout",
    });
  });

  it("cancels a call and goes on with the same server", async () => {
    await using everything = await openServer("everything", ["stdio"]);
    const controller = new AbortController();
    const onEvent = (event: { readonly type: string }): void => {
      if (event.type === "call-progressed") controller.abort();
    };
    const long = { duration: 30, steps: 60 };
    const options = { signal: controller.signal, onEvent };
    expect(await everything.call("trigger-long-running-operation", long, options)).toMatchObject({
      success: false,
      errorKind: "cancelled",
    });
    expect((await everything.call("echo", { message: "still there" })).output).toBe("Echo: still there");
  });
});

describe("mcpServer() with the filesystem server", () => {
  it("reads and writes where the server may, and gives its refusals as failures of the tool", async () => {
    const directory = await realpath(await mkdtemp(join(tmpdir(), "cofferdam-mcp-files-")));
    try {
      await writeFile(join(directory, "a.txt"), "one\ntwo\n");
      await using files = await openServer("filesystem", [directory], {
        tools: { read_text_file: { risk: "read" }, write_file: { risk: "read" } },
      });
      const riskOf = (name: string) => files.server.tools.find((tool) => tool.name.endsWith(`__${name}`))?.risk;
      // It says of itself that writing is destructive, which counts for more than what was configured.
      expect([riskOf("read_text_file"), riskOf("write_file"), riskOf("move_file")]).toEqual(["read", "exec", "exec"]);
      const path = join(directory, "a.txt");
      expect(await files.call("read_text_file", { path, head: 1 })).toMatchObject({ success: true, output: "one" });
      await files.call("write_file", { path: join(directory, "b.txt"), content: "three" });
      expect(await readFile(join(directory, "b.txt"), "utf8")).toBe("three");
      expect(await files.call("read_text_file", { path: "/etc/passwd" })).toMatchObject({
        success: false,
        errorKind: "business",
        error: expect.stringContaining("Access denied"),
      });
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
