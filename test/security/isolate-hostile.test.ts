import { afterEach, describe, expect, it } from "vitest";

import type { Execution, SandboxSession } from "../../src/contract/sandbox.ts";
import { createIsolateBackend } from "../../src/sandbox/isolate/isolate-backend.ts";
import { assertNoChildren } from "../sandbox/child-processes.ts";

const NOTHING = "undefined undefined undefined undefined";
const REACH = "[typeof process, typeof require, typeof fetch, typeof WebAssembly].join(' ')";

async function run(code: string, timeoutMs = 20_000): Promise<Execution> {
  await using session: SandboxSession = await createIsolateBackend().open({});
  return await session.run({ kind: "javascript", code, input: { a: [1] } }, { timeoutMs });
}

describe("a hostile guest of the isolate", () => {
  afterEach(assertNoChildren);

  it.each([
    ["globals", `return ${REACH}`],
    ["the Function constructor", `return Function("return ${REACH}")()`],
    ["the constructor of a lent function", `return console.log.constructor("return ${REACH}")()`],
    ["the constructor's constructor of the input", `return input.a.constructor.constructor("return ${REACH}")()`],
    ["a prototype walk from a timer", `return Object.getPrototypeOf(setTimeout).constructor("return ${REACH}")()`],
    ["indirect eval", `return (0, eval)("${REACH}")`],
    ["a promise's constructor", `return Promise.resolve().constructor.constructor("return ${REACH}")()`],
    ["an async function's constructor", `return await (async () => {}).constructor("return ${REACH}")()`],
    [
      "arguments.callee's caller",
      `return (function () { return arguments.callee.caller === null ? ${REACH} : ${REACH} })()`,
    ],
    [
      "Error.prepareStackTrace",
      `Error.prepareStackTrace = (_error, sites) => sites.map((site) => {
         try { return typeof site.getThis()?.process + typeof site.getFunction()?.constructor("return process") } catch { return "" }
       }).join("") || "none";
       const shown = String(new Error("x").stack);
       return shown.includes("object") ? shown : ${REACH}`,
    ],
    [
      "an exception of a lent function",
      `let thrown = "";
       try { console.log({ get a() { throw 1 } }); setTimeout(0) } catch (error) { thrown = error }
       return thrown.constructor.constructor("return ${REACH}")()`,
    ],
    [
      "a proxy as an argument",
      `let reached = "${NOTHING}";
       console.log(new Proxy({}, { get(target, key, receiver) {
         try { reached = receiver.constructor.constructor("return ${REACH}")() } catch {}
         return undefined;
       } }));
       return reached`,
    ],
    [
      "a patched string method that sees the host's callback",
      `let seen = "${NOTHING}";
       String.prototype.slice = function () { try { seen = slice.caller?.constructor("return ${REACH}")() ?? seen } catch {} return { toString: () => "x" } };
       const slice = String.prototype.slice;
       try { console.log("text") } catch {}
       return seen`,
    ],
  ])("reaches nothing of the host through %s", async (_name, code) => {
    expect(await run(code)).toMatchObject({ termination: "exit", exitCode: 0, value: NOTHING });
  });

  it.each([
    ["import('node:fs')", "Error: Not supported"],
    ["(0, eval)('import(\"node:fs\")')", "Error: Not supported"],
    ["require('node:fs')", "ReferenceError: require is not defined"],
    ["process.exit(0)", "ReferenceError: process is not defined"],
  ])("fails when it asks for a module or the process (%s)", async (expression, message) => {
    const execution = await run(`await ${expression}`);
    expect(execution).toMatchObject({ termination: "exit", exitCode: 1 });
    expect(execution.stderr).toContain(message);
  });

  it("holds no object of isolated-vm, whatever it looks at", async () => {
    const code = `
      const names = new Set(), seen = new Set(), queue = [globalThis, console, setTimeout, clearTimeout, input];
      while (queue.length > 0) {
        const value = queue.pop();
        if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value)) continue;
        seen.add(value);
        names.add(Object.prototype.toString.call(value)).add(String(value.constructor?.name));
        for (const key of Reflect.ownKeys(value)) {
          const property = Reflect.getOwnPropertyDescriptor(value, key);
          queue.push(property.value, property.get, property.set);
        }
        queue.push(Object.getPrototypeOf(value));
      }
      return [...names].filter((name) => /Isolate|Reference(?!Error)|ExternalCopy|Callback|Dereference|NativeModule|Session/.test(name));`;
    expect(await run(code)).toMatchObject({ exitCode: 0, value: [] });
  });

  it("answers for itself alone when it replaces what it runs in", async () => {
    const code = `
      JSON.stringify = () => '{"forged":true}'; Promise.prototype.then = () => { throw 1 };
      Object.prototype.toJSON = () => 1; Array.prototype.map = () => [];
      return "honest"`;
    expect(await run(code)).toMatchObject({ termination: "exit", exitCode: 0, value: "honest" });
  });

  it.each([
    ["arrays", "let a = []; for (;;) a.push(new Array(1e6).fill(1))"],
    [
      "arrays, catching what is thrown",
      "let a = []; for (;;) { try { for (;;) a.push(new Array(1e6).fill(1)) } catch {} }",
    ],
    ["a map", "let m = new Map(); for (let i = 0; ; i += 1) m.set(i, {})"],
    ["long strings", "let s = 'x'.repeat(1e8), a = []; for (;;) a.push(JSON.stringify(s + a.length))"],
    ["an allocation that aborts V8", "let a = []; for (;;) a.push('x'.repeat(5e8).split(''))"],
    ["promises", "let p = []; for (;;) p.push(Promise.resolve().then(() => 1))"],
  ])("runs out of memory, and the engine does not, when it hoards %s", async (_name, code) => {
    const before = process.memoryUsage.rss();
    expect(await run(code, 50_000)).toMatchObject({ termination: "out-of-memory", exitCode: null, signal: null });
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 * 1024);
  });

  it("is refused buffers above its memory", async () => {
    const execution = await run("return new Uint8Array(1e9).length");
    expect(execution.stderr).toContain("RangeError: Array buffer allocation failed");
  });

  it("is refused timers without end", async () => {
    const execution = await run("for (;;) setTimeout(() => {}, 1e9)");
    expect(execution).toMatchObject({ termination: "exit", exitCode: 1 });
    expect(execution.stderr).toContain("RangeError: There are 1000 timers already");
  });
});
