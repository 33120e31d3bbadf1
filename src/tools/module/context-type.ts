import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Type } from "ts-morph";
import type { Risk } from "../../contract/risk.ts";

/** Which risks a tool may have to take each type of context. */
const CONTEXT_RISKS = {
  ToolContext: ["read", "write", "exec"],
  // What it can do, the contexts of the other risks can do as well.
  ReadContext: ["read", "write", "exec"],
  WriteContext: ["write"],
  ExecContext: ["exec"],
} as const satisfies Readonly<Record<string, readonly Risk[]>>;

/** The type of a context that a parameter may have; it is given by the engine and not shown to the model. */
export type ContextType = keyof typeof CONTEXT_RISKS;

/** Which context a type is, when it is one of this package's. */
export function contextTypeOf(type: Type): ContextType | undefined {
  const symbol = type.getSymbol();
  const name = symbol?.getName();
  if (symbol === undefined || !isContextName(name)) return undefined;
  return symbol.getDeclarations().some((each) => isOwnFile(each.getSourceFile().getFilePath())) ? name : undefined;
}

/** Whether a tool of that risk gets such a context. */
export function fitsRisk(context: ContextType, risk: Risk): boolean {
  const risks: readonly Risk[] = CONTEXT_RISKS[context];
  return risks.includes(risk);
}

function isContextName(name: string | undefined): name is ContextType {
  return name !== undefined && Object.hasOwn(CONTEXT_RISKS, name);
}

/** A module may see another copy of the package than the one that runs. */
function isOwnFile(path: string): boolean {
  return path.startsWith(`${OWN_SOURCES}/contract/`) || path.includes("/node_modules/cofferdam/");
}

const OWN_SOURCES = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
