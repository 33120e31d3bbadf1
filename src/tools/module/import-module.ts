import { pathToFileURL } from "node:url";
import { moduleMessages } from "../../errors/messages/module.ts";
import { ToolDefinitionError } from "../../errors/tool-definition-error.ts";

/**
 * Loads a TypeScript module as Node does, which takes the types away and understands nothing that is more than a type.
 * @throws ToolDefinitionError saying why it cannot be loaded.
 */
export async function importModule(path: string, shown: string): Promise<object> {
  try {
    // An import always gives a module's namespace.
    return (await import(pathToFileURL(path).href)) as object;
  } catch (error) {
    throw new ToolDefinitionError(moduleMessages.cannotTake(shown, [problemOf(error)]), { cause: error });
  }
}

function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return moduleMessages.notLoaded(String(error));
  if (!("code" in error) || error.code !== "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX")
    return moduleMessages.notLoaded(error.message);
  return moduleMessages.noTypeStripping(`${error.message} (${placeOf(error)})`);
}

/** Node says file and line before everything else. */
function placeOf({ stack = "" }: Error): string {
  return stack.split("\n", 1)[0] ?? "";
}
