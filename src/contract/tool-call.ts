/** One request of the model, as every provider sends it: which tool, and with what input. */
export interface ToolCall {
  /** The provider's id of this call; the result carries it back. */
  readonly id: string;
  readonly name: string;
  /** Parsed JSON. It is data: no option of the engine, the sandbox or the gate can be set through it. */
  readonly input: unknown;
}

/** A call that a tool makes; it gets the id of the tool's own call with a number behind it. */
export type NestedCall = Pick<ToolCall, "name"> & { readonly input?: unknown };
