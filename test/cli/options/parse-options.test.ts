import { describe, expect, it } from "vitest";
import { landingModeOf } from "../../../src/cli/options/landing-mode.ts";
import { parseDuration } from "../../../src/cli/options/parse-duration.ts";
import { parseMemory } from "../../../src/cli/options/parse-memory.ts";
import { ConfigurationError } from "../../../src/errors/configuration-error.ts";

describe("parseDuration()", () => {
  it.each([
    ["120s", 120_000],
    ["1.5 m", 90_000],
    ["250ms", 250],
    ["10 minutes", 600_000],
  ])("reads %j", (text, durationMs) => {
    expect(parseDuration("--timeout", text)).toBe(durationMs);
  });

  it.each(["120", "", "s", "-5s", "1e3s", "5 parsecs", "120s;", "１s"])("refuses %j, naming the option", (text) => {
    expect(() => parseDuration("--timeout", text)).toThrow(
      new ConfigurationError(
        `Cannot use --timeout "${text}": it is no duration; give a number and a unit, such as "120s" or "2m"`,
      ),
    );
  });

  it.each(["0s", "0.4ms", "601s", "1h", "9999999999999999999y"])("refuses %j, naming the limits", (text) => {
    expect(() => parseDuration("--timeout", text)).toThrow(
      new ConfigurationError(`Cannot use --timeout "${text}": a command may run from 1 ms to 600 s`),
    );
  });
});

describe("parseMemory()", () => {
  it.each([
    ["512m", 512],
    ["512MB", 512],
    ["512MiB", 512],
    ["2g", 2_048],
    ["1.5 G", 1_536],
    ["2048k", 2],
  ])("reads %j", (text, sizeMb) => {
    expect(parseMemory("--memory", text)).toBe(sizeMb);
  });

  it.each(["512", "", "m", "-1m", "1e3m", "12x", "512mm"])("refuses %j, naming the option", (text) => {
    expect(() => parseMemory("--memory", text)).toThrow(
      new ConfigurationError(
        `Cannot use --memory "${text}": it is no size; give a number and a unit, such as "512m" or "2g"`,
      ),
    );
  });

  it("refuses less than 1 MiB", () => {
    expect(() => parseMemory("--memory", "1023k")).toThrow(
      new ConfigurationError('Cannot use --memory "1023k": it is less than 1 MiB; give a size such as "512m"'),
    );
  });
});

describe("landingModeOf()", () => {
  it("asks on a terminal and never lands elsewhere, unless told otherwise", () => {
    expect(landingModeOf({}, true)).toBe("ask");
    expect(landingModeOf({}, false)).toBe("never");
    expect(landingModeOf({ json: true }, true)).toBe("never");
    expect(landingModeOf({ land: "auto" }, false)).toBe("auto");
    expect(landingModeOf({ land: "never" }, true)).toBe("never");
  });

  it("refuses to ask where nobody can be asked", () => {
    expect(() => landingModeOf({ land: "ask" }, false)).toThrow(
      new ConfigurationError('Cannot use --land "ask": stdin or stderr is not a terminal; choose "auto" or "never"'),
    );
    expect(() => landingModeOf({ land: "ask", json: true }, true)).toThrow(
      new ConfigurationError(
        'Cannot use --land "ask" with --json: nothing is shown that could be judged; choose "auto" or "never"',
      ),
    );
  });
});
