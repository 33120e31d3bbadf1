import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const INDEX = join(import.meta.dirname, "../../src/index.ts");

/** Says whether one of the package's modules is loaded after the code has run. */
async function isLoadedBy(code: string, name: string): Promise<boolean> {
  const program = `
    import { registerHooks } from "node:module";
    const urls = [];
    registerHooks({ load: (url, context, next) => { urls.push(url); return next(url, context); } });
    const api = await import(${JSON.stringify(INDEX)});
    ${code}
    console.log(urls.some((url) => url.includes("/node_modules/${name}/")));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
  return stdout === "true\n";
}

const CONNECT = 'await api.mcpServer({ name: "s", command: "/no/such" }).catch(() => undefined);';
const FETCH = `
  const policy = { hosts: ["a.test"], resolve: async () => [{ address: "127.0.0.1", family: 4 }], mayConnect: () => true };
  const tool = api.fetchUrlTool(policy);
  await tool.execute({ url: "http://a.test/" }, { signal: AbortSignal.abort() }).catch(() => undefined);`;

it.each([
  ["@modelcontextprotocol/client", "mcpServer()", CONNECT],
  ["undici", "fetch_url", FETCH],
])("index.ts does not load %s, and %s does", async (name, _user, code) => {
  expect(await isLoadedBy("", name)).toBe(false);
  expect(await isLoadedBy(code, name)).toBe(true);
});
