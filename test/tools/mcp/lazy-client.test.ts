import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const INDEX = join(import.meta.dirname, "../../../src/index.ts");

/** Says which of the client package's modules are loaded after the code has run. */
async function loadedBy(code: string): Promise<boolean> {
  const program = `
    import { registerHooks } from "node:module";
    const urls = [];
    registerHooks({ load: (url, context, next) => { urls.push(url); return next(url, context); } });
    const api = await import(${JSON.stringify(INDEX)});
    ${code}
    console.log(urls.some((url) => url.includes("@modelcontextprotocol/client")));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
  return stdout === "true\n";
}

it("index.ts does not load the MCP client, and mcpServer() does", async () => {
  expect(await loadedBy("")).toBe(false);
  expect(await loadedBy('await api.mcpServer({ name: "s", command: "/no/such" }).catch(() => undefined);')).toBe(true);
});
