/** Commands of one kind, with the most that a policy may say of them. */
export interface BypassClass {
  readonly name: string;
  /** `deny` where a deny rule of the stock policy speaks of what is run; `ask` where no allow rule may. */
  readonly atMost: "ask" | "deny";
  readonly commands: readonly string[];
}
