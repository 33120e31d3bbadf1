import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { Server } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { coreTools } from "../../../src/tools/core-tools.ts";
import { toMcpTools } from "../../../src/tools/providers/to-mcp-tools.ts";
import { toolWith } from "./make-tool.ts";

const EMPTY = { type: "object", properties: {} } as const;

describe("toMcpTools()", () => {
  it("gives hints from risk and idempotence that do not contradict each other", () => {
    const hints = (rest: object) => toMcpTools([toolWith(EMPTY, rest)])[0]?.annotations;
    const open = { openWorldHint: true };
    expect(hints({ risk: "read" })).toEqual({
      ...open,
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
    });
    expect(hints({ risk: "write" })).toEqual({
      ...open,
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
    });
    expect(hints({ risk: "exec", idempotent: true })).toEqual({
      ...open,
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
    });
  });

  it("takes the hints that a tool gives of itself, those of the built-in tools too", () => {
    expect(toMcpTools([toolWith(EMPTY, { destructive: false, openWorld: false })])[0]?.annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: false,
    });
    const hints = toMcpTools(coreTools()).map(({ name, annotations }) => [name, annotations] as const);
    expect(hints.filter(([, { openWorldHint }]) => openWorldHint)).toEqual([]);
    expect(hints.filter(([, { destructiveHint }]) => destructiveHint).map(([name]) => name)).toEqual([
      "apply_patch",
      "delete_file",
      "edit_file",
      "move_file",
      "multi_edit",
      "shell",
      "write_file",
    ]);
  });

  it("keeps alternatives at the top, and announces an output that is an object", () => {
    const alternatives = { anyOf: [{ required: ["a"] }, { required: ["b"] }] };
    const schema = { type: "object", properties: { a: { type: "string" }, b: { type: "string" } }, ...alternatives };
    const output = { type: "object", properties: { n: { type: "number" } } };
    const [withObject, withList] = toMcpTools([
      toolWith(schema, { name: "a", output }),
      toolWith(EMPTY, { name: "b", output: { type: "array" } }),
    ]);
    expect(withObject?.inputSchema).toMatchObject(schema);
    expect(withObject?.outputSchema).toEqual(output);
    expect(withList).not.toHaveProperty("outputSchema");
  });

  it("is understood by a client of the official SDK", async () => {
    const server = new Server({ name: "test", version: "1.0.0" }, { capabilities: { tools: {} } });
    // The SDK's types want mutable lists.
    server.setRequestHandler("tools/list", () => ({ tools: structuredClone(toMcpTools(coreTools())) as never }));
    const client = new Client({ name: "test", version: "1.0.0" });
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
    const { tools } = await client.listTools();
    expect(tools).toEqual(structuredClone(toMcpTools(coreTools())));
    await client.close();
    await server.close();
  });
});
