/**
 * What a model or a tool hands over is copied once, value by value, before anything else looks at it. The copy is
 * what later code works on, so that
 *
 * - the caller's object is never changed (defaults and coercions go into the copy),
 * - nobody can change what was validated and approved afterwards,
 * - whatever is no plain JSON (getters, class instances, cycles, functions) is found here and nowhere else, and
 * - size and depth are bounded, so that later recursive code cannot run out of stack or time.
 *
 * A key named `__proto__` is refused: no tool needs one, and much code downstream would set a prototype by it.
 */

/** How much a copy may hold. */
export interface JsonLimits {
  /** Characters of all strings and keys together. */
  readonly maxCharacters: number;
  /** Values in all, containers included. */
  readonly maxValues: number;
  /** Containers inside each other. */
  readonly maxDepth: number;
}

/** Why a value cannot be copied, and where. */
export interface JsonProblem {
  /** Keys and indexes from the root to the place. */
  readonly path: readonly string[];
  readonly problem:
    | { readonly kind: "not-json"; readonly found: string }
    | { readonly kind: "forbidden-key" }
    | { readonly kind: "unreadable" }
    | { readonly kind: "too-deep"; readonly limit: number }
    | { readonly kind: "too-long"; readonly limit: number }
    | { readonly kind: "too-many"; readonly limit: number };
}

/** A copy, or what stands in its way. */
export type JsonCopy =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: JsonProblem };

/** How to copy. */
export interface CopyJsonOptions {
  readonly limits: JsonLimits;
  /** Copy what `toJSON()` gives of an object that has it, as `JSON.stringify` does. @default false */
  readonly useToJson?: boolean;
}

/** Copies a JSON value within limits. Never throws; keys whose value is `undefined` are left out, as in JSON. */
export function copyJson(value: unknown, options: CopyJsonOptions): JsonCopy {
  const copier = new JsonCopier(options);
  const path = copier.path;
  try {
    const copy = copier.copy(value);
    return copier.problem === undefined ? { ok: true, value: copy } : { ok: false, problem: copier.problem };
  } catch {
    // A getter, a proxy or a `toJSON` of the given value threw; what it threw is no concern of the caller.
    return { ok: false, problem: { path: [...path], problem: { kind: "unreadable" } } };
  }
}

class JsonCopier {
  readonly path: string[] = [];
  problem: JsonProblem | undefined;
  readonly #limits: JsonLimits;
  readonly #useToJson: boolean;
  #characters = 0;
  #values = 0;

  constructor(options: CopyJsonOptions) {
    this.#limits = options.limits;
    this.#useToJson = options.useToJson ?? false;
  }

  /** Gives `undefined`, and sets `problem`, when the value cannot be copied. */
  copy(value: unknown): unknown {
    this.#values += 1;
    if (this.#values > this.#limits.maxValues) return this.#fail({ kind: "too-many", limit: this.#limits.maxValues });
    if (value === null || typeof value === "boolean") return value;
    if (typeof value === "string") return this.#count(value) ? value : undefined;
    if (typeof value === "number") {
      return Number.isFinite(value) ? value : this.#fail({ kind: "not-json", found: String(value) });
    }
    if (typeof value !== "object") return this.#fail({ kind: "not-json", found: describeKind(value) });
    if (this.path.length >= this.#limits.maxDepth) {
      return this.#fail({ kind: "too-deep", limit: this.#limits.maxDepth });
    }
    return this.#copyContainer(value);
  }

  #copyContainer(value: object): unknown {
    if (Array.isArray(value)) return this.#copyArray(value);
    if (this.#useToJson && "toJSON" in value && typeof value.toJSON === "function") {
      // As in `JSON.stringify`, what `toJSON` gives is not asked again.
      return this.#copyPlain(value.toJSON(this.path.at(-1) ?? ""));
    }
    return this.#copyPlain(value);
  }

  #copyPlain(value: unknown): unknown {
    if (!isObject(value)) return this.copy(value);
    if (Array.isArray(value)) return this.#copyArray(value);
    if (!isPlain(value)) return this.#fail({ kind: "not-json", found: describeKind(value) });
    const copy: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      this.path.push(key);
      if (!this.#copyProperty(copy, key, value[key])) return undefined;
      this.path.pop();
    }
    return copy;
  }

  #copyProperty(target: Record<string, unknown>, key: string, value: unknown): boolean {
    if (key === "__proto__") {
      this.#fail({ kind: "forbidden-key" });
      return false;
    }
    if (!this.#count(key)) return false;
    if (value === undefined) return true;
    target[key] = this.copy(value);
    return this.problem === undefined;
  }

  #copyArray(value: readonly unknown[]): unknown {
    // Asked before looping: a sparse array may claim a length of billions.
    if (value.length > this.#limits.maxValues - this.#values) {
      return this.#fail({ kind: "too-many", limit: this.#limits.maxValues });
    }
    const copy: unknown[] = [];
    for (let index = 0; index < value.length; index += 1) {
      this.path.push(String(index));
      copy.push(this.copy(value[index]));
      if (this.problem !== undefined) return undefined;
      this.path.pop();
    }
    return copy;
  }

  #count(text: string): boolean {
    this.#characters += text.length;
    if (this.#characters <= this.#limits.maxCharacters) return true;
    this.#fail({ kind: "too-long", limit: this.#limits.maxCharacters });
    return false;
  }

  #fail(problem: JsonProblem["problem"]): undefined {
    this.problem ??= { path: [...this.path], problem };
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Whether it is a literal or parsed object, of this realm or another. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || (isObject(prototype) && Object.getPrototypeOf(prototype) === null);
}

function describeKind(value: unknown): string {
  if (value === undefined) return "undefined";
  if (!isObject(value)) return typeof value === "symbol" ? "a symbol" : `a ${typeof value}`;
  const name: unknown = value.constructor?.name;
  return typeof name === "string" && name !== "" ? `an instance of ${name.slice(0, 60)}` : "an instance of a class";
}
