import { describe, expect, it } from "vitest";
import { readImageTool } from "../../../src/tools/builtin/read-image.ts";
import { writeFileTool } from "../../../src/tools/builtin/write-file.ts";
import { createToolScratch } from "../tool-scratch.ts";

const PNG = Buffer.from("89504e470d0a1a0a", "hex");

describe("read_image", () => {
  it.each<[string, Buffer]>([
    ["image/png", PNG],
    ["image/jpeg", Buffer.from("ffd8ffe0", "hex")],
    ["image/gif", Buffer.from("GIF89a")],
    ["image/webp", Buffer.from("RIFF\x04\0\0\0WEBPVP8 ", "latin1")],
  ])("shows %s by its content, whatever it is called", async (mimeType, bytes) => {
    await using scratch = await createToolScratch({ "a.txt": bytes });
    const output = `a.txt: ${mimeType}, ${bytes.length} bytes`;
    expect(await scratch.run(readImageTool, { path: "a.txt" })).toEqual({
      success: true,
      output,
      content: [
        { type: "text", text: output },
        { type: "image", data: bytes.toString("base64"), mimeType },
      ],
    });
  });

  it("takes an image of 3,932,160 bytes and no larger one", async () => {
    const most = Buffer.concat([PNG, Buffer.alloc(3_932_160 - PNG.length)]);
    await using scratch = await createToolScratch({ "most.png": most, "more.png": Buffer.concat([most, PNG]) });
    expect((await scratch.run(readImageTool, { path: "most.png" })).success).toBe(true);
    expect(await scratch.run(readImageTool, { path: "more.png" })).toEqual({
      success: false,
      error:
        'Cannot read "more.png": it has 3,932,168 bytes, and at most 3,932,160 bytes can be shown; make a smaller copy of it with "shell"',
      errorKind: "business",
    });
  });

  it.each<[string, Uint8Array | string]>([
    ["a text", "hello"],
    ["an empty file", ""],
    ["a RIFF file of another kind", Buffer.from("RIFF\x04\0\0\0WAVE", "latin1")],
  ])("refuses %s", async (_name, content) => {
    await using scratch = await createToolScratch({ "a.png": content });
    expect(await scratch.run(readImageTool, { path: "a.png" })).toEqual({
      success: false,
      error: 'Cannot read "a.png": it is no PNG, JPEG, GIF or WebP image; use "read_file" for a text',
      errorKind: "business",
    });
  });

  it("lets an image be replaced that was seen", async () => {
    await using scratch = await createToolScratch({ "a.png": PNG });
    expect((await scratch.run(writeFileTool, { path: "a.png", content: "" })).success).toBe(false);
    await scratch.run(readImageTool, { path: "a.png" });
    expect((await scratch.run(writeFileTool, { path: "a.png", content: "" })).success).toBe(true);
  });
});
