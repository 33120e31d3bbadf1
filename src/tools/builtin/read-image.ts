import { coreToolMessages, count } from "../../errors/messages/core-tools.ts";
import { displayPath } from "../../union/path-bytes.ts";
import { defineTool } from "../define-tool.ts";
import { explainPathErrors } from "../explain-path-error.ts";
import { findImageType } from "../image-type.ts";
import { contentPrint, readMemoryOf } from "../read-memory.ts";

/** The most that providers take of one image is 5 MB of base64, and base64 makes four bytes of three. */
const MAX_IMAGE_BYTES = 3_932_160;

/** Shows an image to the model. */
export const readImageTool = defineTool({
  name: "read_image",
  description: `Shows an image of the workspace: PNG, JPEG, GIF or WebP, at most ${count(MAX_IMAGE_BYTES, "byte")}. What it is is told by its content, not by its name.`,
  risk: "read",
  capabilities: ["files", "images"],
  openWorld: false,
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", minLength: 1, description: "The image, relative to the workspace" },
    },
    required: ["path"],
  },
  describe: ({ path }) => `Look at ${path}`,
  execute: ({ path }, { workspace, state }) =>
    explainPathErrors({ action: "read", workspace }, async () => {
      const { sizeBytes } = await workspace.stat(path);
      // One byte more than is taken tells a file that grew meanwhile.
      const bytes = await workspace.readFile(path, { lengthBytes: MAX_IMAGE_BYTES + 1 });
      const mimeType = findImageType(bytes);
      if (mimeType === undefined) return { success: false, error: coreToolMessages.noImage(path) };
      if (bytes.byteLength > MAX_IMAGE_BYTES) {
        const size = count(Math.max(sizeBytes, bytes.byteLength), "byte");
        return { success: false, error: coreToolMessages.largeImage(path, size, count(MAX_IMAGE_BYTES, "byte")) };
      }
      readMemoryOf(state).remember(await workspace.realPath(path), contentPrint(bytes));
      const output = `${displayPath(path)}: ${mimeType}, ${count(bytes.byteLength, "byte")}`;
      const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
      return {
        success: true,
        output,
        content: [
          { type: "text", text: output },
          { type: "image", data, mimeType },
        ],
      };
    }),
});
