import type { GateRequest } from "./gate-request.ts";
import { reachesOneCall } from "./reach.ts";

/** What reviewers approved for as long as the engine is open. */
export class SessionGrants {
  readonly #keys = new Set<string>();

  /** Remembers what the request's reach says. */
  add(request: GateRequest, callKey: string): void {
    this.#keys.add(grantKey(request, callKey));
  }

  /** Whether an approval that was remembered covers this call. */
  covers(request: GateRequest, callKey: string): boolean {
    return this.#keys.has(grantKey(request, callKey));
  }
}

/** With its schema, for a tool that changed under its name is another tool. */
function grantKey(request: GateRequest, callKey: string): string {
  const { tool, schemaFingerprint } = request;
  return reachesOneCall(request) ? callKey : `${tool.name}\n${tool.risk}\n${schemaFingerprint}`;
}
