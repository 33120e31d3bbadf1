import { editToolMessages } from "../../errors/messages/edit-tools.ts";
import type { ParsedPatch } from "./file-patch.ts";
import { ENVELOPE_START, parseEnvelope } from "./parse-envelope.ts";
import { parseUnified } from "./parse-unified.ts";

/** Reads a patch in either form. A patch that was written with CRLF throughout is read as if with LF. */
export function parsePatchText(patch: string): ParsedPatch {
  const isAllCrlf = patch.includes("\r\n") && !/(?<!\r)\n/.test(patch);
  const text = isAllCrlf ? patch.replaceAll("\r\n", "\n") : patch;
  if (ENVELOPE_START.test(text)) return parseEnvelope(text);
  if (/^(?:--- |\+\+\+ |diff --git |@@ )/m.test(text)) return parseUnified(text);
  return { ok: false, problem: editToolMessages.noPatchStart };
}
