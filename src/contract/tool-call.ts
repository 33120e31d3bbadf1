/** One request of the model, as every provider sends it: which tool, and with what input. */
export interface ToolCall {
  /** The provider's id of this call; the result carries it back. */
  readonly id: string;
  readonly name: string;
  /** Parsed JSON. It is data: no option of the engine, the sandbox or the gate can be set through it. */
  readonly input: unknown;
}
