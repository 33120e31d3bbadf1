import { sha256 } from "../../schema/canonical-json.ts";

/**
 * The names under which the model sees a server's tools, `mcp__server__tool`, by the names that the server gives. What
 * no provider accepts becomes `_`. A name that is then too long, or the same as another one's, ends in a digest of the
 * server's own name for it, so that it is the same each time and whatever else the server offers.
 */
export function nameTools(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const plain = new Map(tools.map((tool) => [tool, plainName(server, tool)]));
  const uses = Map.groupBy(plain.values(), (name) => name);
  return new Map(
    [...plain].map(([tool, name]) => {
      const isUnchanged = name === `mcp__${server}__${tool}`;
      const isTaken = (uses.get(name)?.length ?? 0) > 1;
      return [tool, name.length > MAX_NAME_LENGTH || (isTaken && !isUnchanged) ? withDigest(name, tool) : name];
    }),
  );
}

const MAX_NAME_LENGTH = 64;
const DIGEST_LENGTH = 8;

function plainName(server: string, tool: string): string {
  return `mcp__${server}__${tool.replaceAll(/[^a-zA-Z0-9_-]/gu, "_")}`;
}

function withDigest(name: string, tool: string): string {
  const kept = name.slice(0, MAX_NAME_LENGTH - DIGEST_LENGTH - 1);
  return `${kept}_${sha256(tool).slice(0, DIGEST_LENGTH)}`;
}
