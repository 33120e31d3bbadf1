import type { EgressTarget } from "./host-rule.ts";

/*
 * A target is read strictly instead of being repaired. A name may hold letters, digits, hyphens and underscores between dots, and nothing
 * else: no user before an `@`, no percent sign, no backslash, no brackets, no dot at the end. So there is
 * no spelling that this reads as one host and the library that connects as another.
 */

const NAME = String.raw`[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63})*`;
const CONNECT_TARGET = new RegExp(`^(?<host>${NAME}):(?<port>[0-9]{1,5})$`);
const HTTP_TARGET = new RegExp(`^http://(?<host>${NAME})(?::(?<port>[0-9]{1,5}))?(?:[/?#].*)?$`, "i");

/** Where a request to a proxy wants to go; nothing when that is not written plainly. */
export function readTarget(request: {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
}): EgressTarget | undefined {
  const pattern = request.method === "CONNECT" ? CONNECT_TARGET : HTTP_TARGET;
  const { host, port } = pattern.exec(request.url ?? "")?.groups ?? {};
  if (host === undefined || host.length > 253) return undefined;
  const number = Number(port ?? 80);
  return number >= 1 && number <= 65_535 ? { host: host.toLowerCase(), port: number } : undefined;
}
