import type { Tool as ListedTool } from "@modelcontextprotocol/client";
import { canonicalJson, sha256 } from "../../schema/canonical-json.ts";
import { mcpMessages } from "../../errors/messages/mcp.ts";

/**
 * Remembers what a server's tools were when somebody chose to use them, and compares every later list with that. A tool
 * that has become another one under its old name stays out of use, even when it changes back: the server has
 * shown that its word does not last. One that is missing can be used again when it is back unchanged.
 */
export class ToolDrift {
  readonly #approved = new Map<string, string>();
  readonly #changed = new Set<string>();
  #present: ReadonlySet<string> = new Set();
  #isApproved = false;

  /** Takes a list of the server; the first one is what the later ones are compared with. */
  compare(tools: readonly ListedTool[]): void {
    for (const tool of tools) {
      const fingerprint = fingerprintTool(tool);
      const approved = this.#approved.get(tool.name);
      if (!this.#isApproved && approved === undefined) this.#approved.set(tool.name, fingerprint);
      else if (approved !== undefined && approved !== fingerprint) this.#changed.add(tool.name);
    }
    this.#present = new Set(tools.map((tool) => tool.name));
    this.#isApproved = true;
  }

  /** Why a tool must not be called any more. */
  changeOf(tool: string): string | undefined {
    return this.#changed.has(tool) ? mcpMessages.changed : undefined;
  }

  /** Why a tool must not be called now, by the last list. */
  problemOf(tool: string): string | undefined {
    return this.changeOf(tool) ?? (this.#present.has(tool) ? undefined : mcpMessages.gone);
  }
}

/** Everything of a tool that a person or a model decides by. */
function fingerprintTool({ name, title, description, inputSchema, outputSchema, annotations }: ListedTool): string {
  return sha256(canonicalJson({ name, title, description, inputSchema, outputSchema, annotations }));
}
