/** Whether a host fits `example.com`, or `*.example.com` for everything below it. */
export type HostPattern = (host: string) => boolean;

/** Reads what stands behind `domain:`; nothing when it is no host. */
export function parseHostPattern(text: string): HostPattern | undefined {
  const host = text.trim().toLowerCase();
  if (host === "*") return () => true;
  const wanted = host.startsWith("*.") ? host.slice(2) : host;
  const plain = hostOf(`https://${wanted}`);
  if (plain === undefined || wanted.includes("*") || /[/@?#:]/.test(wanted.replace(/^\[.*\]$/, ""))) return undefined;
  return host.startsWith("*.") ? (given) => given.endsWith(`.${plain}`) : (given) => given === plain;
}

/** The host that a URL leads to, as the URL parser reads it: lower case, numbers and international names in one spelling. */
export function hostOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname, protocol } = new URL(url);
  return /^(?:https?|wss?|ftp):$/.test(protocol) && hostname !== "" ? hostname.replace(/\.$/, "") : undefined;
}
