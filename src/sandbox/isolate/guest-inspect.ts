/*
 * How the guest's `console` shows values, in the manner of Node's. These functions run inside the isolate, as text: they
 * refer to each other, their arguments and the language's globals only.
 */

/** The functions that `formatArguments` is made of, as source text. */
export function guestInspectSource(): string {
  return [formatArguments, formatDirective, inspectValue, inspectObject, inspectEntries, inspectNamed].join("\n");
}

/** One line for the arguments of `console.log`, directives of the first one filled in. */
function formatArguments(values: readonly unknown[]): string {
  const [template, ...rest] = values;
  let next = 0;
  const first =
    typeof template === "string" && rest.length > 0
      ? template.replace(/%[sdifjoOc%]/g, (directive) => {
          if (directive === "%%") return "%";
          if (next >= rest.length) return directive;
          next += 1;
          return formatDirective(directive, rest[next - 1]);
        })
      : template;
  const shown = values.length === 0 ? [] : [first, ...rest.slice(next)];
  return shown.map((value) => (typeof value === "string" ? value : inspectValue(value, []))).join(" ");
}

function formatDirective(directive: string, value: unknown): string {
  if (directive === "%c") return "";
  if (directive === "%s") return typeof value === "string" ? value : inspectValue(value, []);
  if (directive === "%j") return JSON.stringify(value);
  if (directive === "%o" || directive === "%O") return inspectValue(value, []);
  if (typeof value === "symbol" || typeof value === "object") return "NaN";
  if (typeof value === "bigint") return `${value}n`;
  if (directive === "%d") return String(Number(value));
  const number = Number.parseFloat(typeof value === "string" ? value : String(Number(value)));
  return String(directive === "%i" ? Math.trunc(number) : number);
}

function inspectValue(value: unknown, ancestors: readonly object[]): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return value.name === "" ? "[Function (anonymous)]" : `[Function: ${value.name}]`;
  if (Object.is(value, -0)) return "-0";
  if (typeof value !== "object" || value === null) return String(value);
  if (ancestors.includes(value)) return "[Circular]";
  return inspectObject(value, [...ancestors, value]);
}

function inspectObject(value: object, ancestors: readonly object[]): string {
  if (value instanceof Error) return typeof value.stack === "string" ? value.stack : `${value.name}: ${value.message}`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (value instanceof RegExp) return String(value);
  if (value instanceof Promise) return "Promise {}";
  const isList = Array.isArray(value) || ArrayBuffer.isView(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  const name = prototype === null ? "[Object: null prototype]" : (value.constructor?.name ?? "");
  const prefix = name === "Object" || name === "Array" || name === "" ? "" : `${name} `;
  if (ancestors.length > 4) return Array.isArray(value) ? "[Array]" : `[${name === "" ? "Object" : name}]`;
  const entries = isList
    ? inspectEntries(Object.entries(value), (entry) => inspectValue(entry[1], ancestors))
    : value instanceof Set
      ? inspectEntries([...value], (item) => inspectValue(item, ancestors))
      : value instanceof Map
        ? inspectEntries([...value], (pair) => pair.map((part) => inspectValue(part, ancestors)).join(" => "))
        : inspectEntries(Reflect.ownKeys(value), (key) => inspectNamed(value, key, ancestors));
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  return entries === "" ? `${prefix}${open}${close}` : `${prefix}${open} ${entries} ${close}`;
}

function inspectEntries<T>(items: readonly T[], show: (item: T) => string): string {
  const most = 100;
  const shown = items.slice(0, most).map(show);
  if (items.length > most) shown.push(`... ${items.length - most} more`);
  return shown.join(", ");
}

function inspectNamed(owner: object, key: string | symbol, ancestors: readonly object[]): string {
  const property = Object.getOwnPropertyDescriptor(owner, key);
  const isPlain = typeof key === "string" && /^[A-Za-z_$][\w$]*$/.test(key);
  const name = typeof key === "symbol" ? `[${String(key)}]` : isPlain ? key : JSON.stringify(key);
  const shown =
    property?.get !== undefined || property?.set !== undefined ? "[Getter]" : inspectValue(property?.value, ancestors);
  return `${name}: ${shown}`;
}
