import { STATUS_CODES } from "node:http";
import type { ReadableStream } from "node:stream/web";

import { admitTarget, answerWith } from "../../egress/admit-target.ts";
import type { EgressPolicy } from "../../egress/admit-target.ts";
import { readTarget } from "../../egress/read-target.ts";
import { fetchMessages } from "../../errors/messages/fetch.ts";
import { ToolError } from "../../errors/tool-error.ts";

/** What a server answered. */
export interface FetchedPage {
  /** Where it was found in the end. */
  readonly url: string;
  readonly status: number;
  /** The status with its words, such as `404 Not Found`. */
  readonly statusText: string;
  /** In lower case; empty when the server did not say. */
  readonly contentType: string;
  readonly body: Buffer;
  /** Whether the answer is longer than what was read of it. */
  readonly isCut: boolean;
}

/** How to fetch. */
export interface FetchPageOptions {
  readonly policy: EgressPolicy;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** The fetch standard allows twenty; a page that a person links to takes few. */
const MAX_REDIRECTS = 5;

/**
 * Fetches an address, and what it redirects to. Each step is judged like the first, and connects only to the addresses that were
 * looked at.
 * @throws ToolError when an address is no page's, may not be reached, or cannot be.
 */
export async function fetchPage(url: string, options: FetchPageOptions): Promise<FetchedPage> {
  let address = url;
  for (let step = 0; step <= MAX_REDIRECTS; step += 1) {
    const answer = await fetchOnce(address, options);
    if (typeof answer !== "string") return answer;
    address = answer;
  }
  throw new ToolError(fetchMessages.tooManyRedirects(url, MAX_REDIRECTS), { kind: "business" });
}

/** The page, or the address that it leads to. */
async function fetchOnce(url: string, { policy, maxBytes, signal }: FetchPageOptions): Promise<FetchedPage | string> {
  const parsed = parseAddress(url);
  const target = readTarget({ method: "CONNECT", url: `${parsed.hostname}:${portOf(parsed)}` });
  if (target === undefined) throw new ToolError(fetchMessages.badAddress(url), { kind: "business" });
  const admission = await admitTarget(target, policy);
  if (!admission.admitted) throw new ToolError(fetchMessages.notAllowed(url, admission.reason), { kind: "denied" });
  // Loaded here and not before: most engines fetch nothing.
  const { Agent, fetch } = await import("undici");
  const agent = new Agent({ connect: { lookup: answerWith(admission.addresses), timeout: CONNECT_TIMEOUT_MS } });
  try {
    const response = await fetch(parsed, { dispatcher: agent, redirect: "manual", headers: REQUEST_HEADERS, signal });
    const location = response.headers.get("location");
    if (response.status >= 300 && response.status < 400 && location !== null) return resolveLocation(location, url);
    const contentType = (response.headers.get("content-type") ?? "").toLowerCase();
    const statusText = `${response.status} ${STATUS_CODES[response.status] ?? ""}`.trim();
    return { url, status: response.status, statusText, contentType, ...(await readAtMost(response.body, maxBytes)) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ToolError) throw error;
    throw new ToolError(fetchMessages.failed(url, reasonOf(error)), { kind: "dependency", cause: error });
  } finally {
    // What is left of an answer that was cut is not waited for.
    await agent.destroy();
  }
}

const CONNECT_TIMEOUT_MS = 10_000;

const REQUEST_HEADERS = { accept: "text/html, text/*;q=0.9, */*;q=0.5", "user-agent": "cofferdam" };

function parseAddress(url: string): URL {
  const parsed = URL.parse(url);
  const isPage =
    (parsed?.protocol === "http:" || parsed?.protocol === "https:") && parsed.username === "" && parsed.password === "";
  if (parsed === null || !isPage) throw new ToolError(fetchMessages.badAddress(url), { kind: "business" });
  return parsed;
}

function portOf({ port, protocol }: URL): string {
  return port === "" ? (protocol === "https:" ? "443" : "80") : port;
}

function resolveLocation(location: string, base: string): string {
  const resolved = URL.parse(location, base);
  if (resolved === null) throw new ToolError(fetchMessages.badAddress(location), { kind: "dependency" });
  return resolved.href;
}

async function readAtMost(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<{ readonly body: Buffer; readonly isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) return { body: Buffer.concat(chunks).subarray(0, maxBytes), isCut: true };
  }
  return { body: Buffer.concat(chunks), isCut: false };
}

/** The innermost words: the outer ones only say that something failed. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  return inner instanceof Error ? reasonOf(inner) : error.message;
}
