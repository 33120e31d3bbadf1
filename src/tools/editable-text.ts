import { isUtf8 } from "node:buffer";
import type { ToolOutcome, WriteContext } from "../contract/tool.ts";
import { coreToolMessages } from "../errors/messages/core-tools.ts";
import { findBinaryKind } from "./binary-kind.ts";
import { findStaleness } from "./check-freshness.ts";
import { contentPrint, readMemoryOf } from "./read-memory.ts";

/** The largest file that is edited, in bytes, and the longest result, in UTF-16 units. */
export const MAX_EDITED = 16_777_216;

/** A text that may be edited, or why not. */
export type EditableText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly refusal: Extract<ToolOutcome, { success: false }> };

type FileContext = Pick<WriteContext, "workspace" | "state">;

/**
 * Reads a UTF-8 text in order to change a part of it. A file that changed since the agent read it is refused.
 * @throws WorkspacePathError when the file cannot be read.
 */
export async function readEditableText(path: string, context: FileContext): Promise<EditableText> {
  const bytes = await context.workspace.readFile(path, { maxBytes: MAX_EDITED });
  const kind = findBinaryKind(bytes) ?? (isUtf8(bytes) ? undefined : "text in another encoding than UTF-8");
  if (kind !== undefined)
    return { ok: false, refusal: { success: false, error: coreToolMessages.notText(path, kind) } };
  const stale = await findStaleness({ path, action: "edit", content: bytes }, context);
  if (stale !== undefined) return { ok: false, refusal: stale };
  return { ok: true, text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8") };
}

/**
 * Writes a file whose whole content is the agent's own, so that the agent knows it.
 * @throws WorkspacePathError when the file cannot be written.
 */
export async function writeKnownFile(path: string, content: string, context: FileContext): Promise<void> {
  await context.workspace.writeFile(path, content);
  const realPath = await context.workspace.realPath(path);
  readMemoryOf(context.state).remember(realPath, contentPrint(content));
}

/**
 * Writes a file of which the agent changed a part. An agent that never read it does not know the rest of it now.
 * @throws WorkspacePathError when the file cannot be written.
 */
export async function writeEditedFile(path: string, content: string, context: FileContext): Promise<void> {
  await context.workspace.writeFile(path, content);
  const realPath = await context.workspace.realPath(path);
  const memory = readMemoryOf(context.state);
  if (memory.recall(realPath) !== undefined) memory.remember(realPath, contentPrint(content));
}
