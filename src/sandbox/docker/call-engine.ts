import { CofferdamError } from "../../errors/cofferdam-error.ts";
import { dockerMessages } from "../../errors/messages/docker.ts";
import { SandboxUnavailableError } from "../../errors/sandbox-unavailable-error.ts";

/** How long the Engine may take for one request that ends by itself. */
const REQUEST_DEADLINE_MS = 60_000;

/**
 * Makes one request of the Engine, and gives up when it does not answer; a request that takes no signal is left behind.
 * @throws SandboxUnavailableError that says what could not be done, with the Engine's words.
 */
export async function callEngine<T>(
  action: string,
  request: (abortSignal: AbortSignal) => Promise<T>,
  deadlineMs = REQUEST_DEADLINE_MS,
): Promise<T> {
  const deadline = new AbortController();
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    deadline.abort();
    reject(deadline.signal.reason);
  }, deadlineMs);
  try {
    return await Promise.race([request(deadline.signal), expired]);
  } catch (error) {
    if (error instanceof CofferdamError) throw error;
    const message = deadline.signal.aborted
      ? dockerMessages.engineSilent(action, deadlineMs / 1000)
      : dockerMessages.engineFailed(action, describeFailure(error));
    throw new SandboxUnavailableError(message, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** The HTTP status of an answer that dockerode turned into an error; of the cause where it was wrapped. */
export function statusOf(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  if ("statusCode" in error && typeof error.statusCode === "number") return error.statusCode;
  return "cause" in error ? statusOf(error.cause) : undefined;
}

/** The error number's name (`ENOENT`) of a request that never reached the Engine. */
export function errorNumberOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  if ("code" in error && typeof error.code === "string" && /^E[A-Z]+$/.test(error.code)) return error.code;
  return "cause" in error ? errorNumberOf(error.cause) : undefined;
}

/** The Engine's own words, without what dockerode puts around them. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const body = "json" in error && typeof error.json === "object" && error.json !== null ? error.json : {};
  const said = "message" in body && typeof body.message === "string" ? body.message : error.message;
  return said.replace(/^\(HTTP code \d+\) [^-]*- /, "").trim();
}
