import type * as tsMorph from "ts-morph";
import { ConfigurationError } from "../../errors/configuration-error.ts";
import { moduleMessages } from "../../errors/messages/module.ts";

/** ts-morph, which is optional: it holds a whole TypeScript compiler, and only those who use modules of functions need it. */
export type Compiler = typeof tsMorph;

/**
 * Loads the compiler when it is needed for the first time.
 * @throws ConfigurationError when it is not installed.
 */
export async function loadCompiler(module: string): Promise<Compiler> {
  try {
    return await import("ts-morph");
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new ConfigurationError(moduleMessages.noCompiler(module), { cause: error });
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
}
