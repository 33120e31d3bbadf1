/**
 * The one connection that all tools of a server share. It is opened when `mcpServer` is called, and again by the first
 * call after it was lost: a server that nobody calls is not started over and over.
 *
 * Whenever it is opened, whenever the server says that its tools have changed, and whenever the last list is an old one
 * (a server need not say so), the tools are listed and compared before the next call goes out. A call that arrives
 * meanwhile waits for that.
 */
import type { Client, Tool as ListedTool } from "@modelcontextprotocol/client";
import { ExponentialBackoff, handleAll, retry } from "cockatiel";
import { ConfigurationError } from "../../errors/configuration-error.ts";
import { mcpMessages } from "../../errors/messages/mcp.ts";
import { ToolError } from "../../errors/tool-error.ts";
import { untilAborted } from "../until-aborted.ts";
import type { Endpoint, ServerSettings } from "./check-options.ts";
import { createClient } from "./create-client.ts";
import { openTransport } from "./open-transport.ts";

/** What a connection needs. */
export interface ConnectionOptions {
  readonly endpoint: Endpoint;
  readonly settings: Pick<ServerSettings, "connectTimeoutMs" | "connectAttempts" | "relistAfterMs" | "protocol">;
  readonly environment: NodeJS.ProcessEnv;
  /** Gets every list of the server's tools. */
  readonly onListed: (tools: readonly ListedTool[]) => void;
}

/** One way to the server, from the moment it is being opened. */
interface Link {
  readonly opening: Promise<Client>;
  /** When the tools were last listed, by the monotonic clock. */
  listedAtMs: number;
  /** A list that is under way because something may have changed. */
  listing: Promise<void> | undefined;
  isStale: boolean;
}

/** Opens, keeps and reopens the way to one server. */
export class ServerConnection implements AsyncDisposable {
  readonly #options: ConnectionOptions;
  readonly #closing = new AbortController();
  #link: Link | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /**
   * Opens the connection for the first time and lists the tools.
   * @throws ConfigurationError when that fails; it is not tried again.
   */
  async start(): Promise<void> {
    await this.#linkBy(async (link) => await this.#open(link)).opening;
  }

  /**
   * The connected client, once the server's tools have been compared.
   * @throws ToolError when the server cannot be reached.
   */
  async client(signal: AbortSignal): Promise<Client> {
    const { name } = this.#options.endpoint;
    if (this.#closing.signal.aborted) throw new ToolError(mcpMessages.closed(name), { kind: "unavailable" });
    const link = this.#link ?? this.#linkBy(async (opened) => await this.#reopen(opened));
    const client = await untilAborted(link.opening, signal);
    if (performance.now() - link.listedAtMs >= this.#options.settings.relistAfterMs) this.#relist(client, link);
    while (link.listing !== undefined) await untilAborted(link.listing, signal);
    if (this.#link !== link) throw new ToolError(mcpMessages.dropped(name), { kind: "dependency" });
    return client;
  }

  /** Gives up a client that does not work any more; the next call connects anew. */
  async discard(client: Client): Promise<void> {
    const link = this.#link;
    if (link !== undefined && (await link.opening) === client) this.#forget(link);
    await client.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error("The connection is being closed"));
    const link = this.#link;
    if (link === undefined) return;
    this.#forget(link);
    const [opened] = await Promise.allSettled([link.opening]);
    if (opened.status === "fulfilled") await opened.value.close();
  }

  #linkBy(open: (link: Link) => Promise<Client>): Link {
    const opened = Promise.withResolvers<Client>();
    const link: Link = { opening: opened.promise, listedAtMs: 0, listing: undefined, isStale: false };
    this.#link = link;
    open(link).then(opened.resolve, opened.reject);
    // Whoever waits for it hears of a failure; nobody may be waiting any more.
    opened.promise.catch(() => this.#forget(link));
    return link;
  }

  #forget(link: Link): void {
    if (this.#link === link) this.#link = undefined;
  }

  async #reopen(link: Link): Promise<Client> {
    const { endpoint, settings } = this.#options;
    const { connectAttempts } = settings;
    try {
      if (connectAttempts === 1) return await this.#open(link);
      const backoff = new ExponentialBackoff({ initialDelay: 250, maxDelay: 5_000, exponent: 2 });
      const policy = retry(handleAll, { maxAttempts: connectAttempts - 1, backoff });
      return await policy.execute(async () => await this.#open(link), this.#closing.signal);
    } catch (cause) {
      // The reason may hold paths of this machine, and the message goes to the model.
      const message = mcpMessages.unreachable(endpoint.name, connectAttempts);
      throw new ToolError(message, { kind: "dependency", cause });
    }
  }

  async #open(link: Link): Promise<Client> {
    const { endpoint, settings, environment } = this.#options;
    const { connectTimeoutMs: timeout, protocol } = settings;
    this.#closing.signal.throwIfAborted();
    const { transport, explain } = await openTransport(endpoint, environment);
    const client = await createClient({ protocol, onToolsChanged: (changed) => this.#relist(changed, link) });
    try {
      await client.connect(transport, { timeout, signal: this.#closing.signal });
      await this.#list(client, link);
    } catch (cause) {
      await transport.close();
      const message = mcpMessages.cannotConnect(endpoint.name, explain(cause));
      throw new ConfigurationError(message, { cause });
    }
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the client has no such method
    client.onclose = () => this.#forget(link);
    return client;
  }

  #relist(client: Client, link: Link): void {
    link.isStale = true;
    link.listing ??= this.#listWhileStale(client, link).finally(() => {
      link.listing = undefined;
    });
  }

  /** However often a server says that it changed, one list runs at a time. */
  async #listWhileStale(client: Client, link: Link): Promise<void> {
    try {
      while (link.isStale) {
        link.isStale = false;
        await this.#list(client, link);
      }
    } catch {
      // Tools that cannot be compared must not be called: the next call connects anew, and fails if that fails too.
      this.#forget(link);
      await client.close();
    }
  }

  async #list(client: Client, link: Link): Promise<void> {
    const { settings, onListed } = this.#options;
    if (client.getServerCapabilities()?.tools === undefined) throw new ConfigurationError(mcpMessages.noTools);
    const options = { timeout: settings.connectTimeoutMs, signal: this.#closing.signal, cacheMode: "refresh" } as const;
    const { tools } = await client.listTools(undefined, options);
    onListed(tools);
    link.listedAtMs = performance.now();
  }
}
