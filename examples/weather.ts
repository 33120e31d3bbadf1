import { createEngine, defineTool, ToolError } from "cofferdam";

/** What the weather service answers. */
interface Report {
  readonly main: { readonly temp: number };
  readonly weather: readonly { readonly description: string }[];
}

/** The tool gets its settings as parameters; without a key it says that it is not ready, and is neither shown nor run. */
function weatherTool({ url, apiKey }: { readonly url: string; readonly apiKey: string | undefined }) {
  return defineTool({
    name: "weather",
    description: "Query current weather for a given city",
    risk: "read",
    timeoutMs: 15_000,
    capabilities: ["weather", "location", "network"],
    parameters: {
      type: "object",
      properties: {
        city: { type: "string", minLength: 1, description: "City name, such as Beijing or Tokyo" },
        units: { type: "string", enum: ["metric", "imperial"], default: "metric", description: "Temperature units" },
      },
      required: ["city"],
    },
    ready: () => (apiKey === undefined ? "WEATHER_API_KEY is not set" : true),
    execute: async ({ city, units }, { signal }) => {
      const query = new URLSearchParams({ q: city, units, appid: apiKey ?? "" });
      const timeout = AbortSignal.timeout(3_000);
      const response = await fetch(`${url}?${query.toString()}`, { signal: AbortSignal.any([signal, timeout]) }).catch(
        (error) => {
          const kind = timeout.aborted ? "timeout" : "dependency";
          throw new ToolError(`The weather service did not answer for ${city}`, { kind, cause: error });
        },
      );
      if (response.status === 404) throw new ToolError(`City not found: ${city}`);
      if (!response.ok) throw new ToolError(`Weather service error: ${response.status}`, { kind: "dependency" });
      // Whatever else the service answers, reading it throws, and that is of the kind "internal".
      const report = (await response.json()) as Report;
      const sky = report.weather.map(({ description }) => description).join(", ");
      const degrees = `${report.main.temp}${units === "metric" ? "°C" : "°F"}`;
      return { success: true, output: `${city}: ${degrees}, ${sky}`, metadata: { report } };
    },
  });
}

const [root = ".", url = "http://127.0.0.1:1/weather", ...cities] = process.argv.slice(2);
const weather = weatherTool({ url, apiKey: process.env["WEATHER_API_KEY"] });
await using engine = await createEngine({ root, tools: [weather] });
console.log(engine.readiness().find(({ tool }) => tool === weather.name)?.ready ? "ready" : "not ready");
for (const city of cities) {
  const result = await engine.dispatch({ id: city, name: "weather", input: { city } });
  console.log(result.success ? result.output : `${result.errorKind}: ${result.error}`);
}
