import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const run = promisify(execFile);

/** What an example prints, run on an empty directory as a person would; `npm run build` comes first. */
async function linesOf(example: string, parameters: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const directory = await mkdtemp(join(tmpdir(), "cofferdam-example-"));
  try {
    const root = join(directory, "root");
    await mkdir(root);
    const file = fileURLToPath(new URL(`../../examples/${example}`, import.meta.url));
    const { stdout } = await run(process.execPath, [file, root, ...parameters], {
      env: { PATH: process.env["PATH"], HOME: directory, COFFERDAM_STATE: join(directory, "state"), ...env },
    });
    return stdout.trimEnd().split("\n");
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** A weather service that knows one city and fails for others in ways of its own. */
async function weatherService() {
  const server = createServer(({ url = "" }, response) => {
    const city = new URL(url, "http://localhost").searchParams.get("q");
    if (city === "Slow") return;
    const status = { Nowhere: 404, Down: 503 }[city ?? ""] ?? 200;
    const report = { main: { temp: 25 }, weather: [{ description: "clear sky" }] };
    response.writeHead(status).end(city === "Broken" ? "no JSON" : JSON.stringify(report));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/weather`,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

describe("examples/", () => {
  it("weather.ts tells its five kinds of error apart", async () => {
    await using service = await weatherService();
    const cities = ["Beijing", "", "Nowhere", "Slow", "Down", "Broken"];
    const env = { WEATHER_API_KEY: "test-key" };
    expect(await linesOf("weather.ts", [service.url, ...cities], env)).toEqual([
      "ready",
      "Beijing: 25°C, clear sky",
      "validation: (input error: city must have at least 1 character, not 0)",
      "business: City not found: Nowhere",
      "timeout: The weather service did not answer for Slow",
      "dependency: Weather service error: 503",
      expect.stringMatching(/^internal: "weather" failed: /),
    ]);
  });

  it("weather.ts says that its key is missing", async () => {
    const lines = await linesOf("weather.ts", ["http://127.0.0.1:1/weather", "Beijing"]);
    expect(lines).toEqual(["not ready", 'unavailable: Cannot run "weather" now: WEATHER_API_KEY is not set']);
  });

  it("workspace-object.ts shares a folder among its tools", async () => {
    expect(await linesOf("workspace-object.ts")).toEqual([
      "File written successfully",
      '["a.txt"]',
      "one",
      "two",
      expect.stringContaining("b.txt"),
      "false",
    ]);
  });

  it("plain-functions.ts makes tools of the functions in text-tools.ts", async () => {
    const [spec, ...lines] = await linesOf("plain-functions.ts");
    expect(JSON.parse(spec ?? "")).toEqual({
      name: "read_file",
      description: "Read a text file",
      parameters: {
        type: "object",
        properties: {
          path: { type: "string", description: "Path relative to the root" },
          max_lines: { type: "number", description: "How many lines to return", default: 200 },
        },
        required: ["path"],
        additionalProperties: false,
      },
    });
    expect(lines).toEqual([
      "File written successfully",
      expect.stringMatching(/^Nothing was written: .*"a\.txt": there is something at this path already/),
      "one",
      "two three",
      '{"lines":3,"words":4}',
      '(input error: path is required; max_lines must be a number, not "many")',
      "(done)",
      "{ finished: 'All done' }",
    ]);
  });

  it("tool-forms.ts shows typed, class-form, raw and no input, state and finish", async () => {
    expect(await linesOf("tool-forms.ts")).toEqual([
      "Found 3 results for 'tides'",
      "System is healthy",
      "Set depth",
      'depth = {"metres":3}',
      "(input error: key is required)",
      "(done)",
      "{ finished: 'All done' }",
    ]);
  });
});
