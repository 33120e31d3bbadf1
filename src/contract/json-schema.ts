/** A JSON value. */
export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue | undefined };

/** A JSON Schema (draft 2020-12 or 07) whose root describes an object, which is what every provider accepts. */
export interface ObjectSchema {
  readonly type: "object";
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema;
  readonly [keyword: string]: unknown;
}

/** Any JSON Schema. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/** The input type that a literal JSON Schema describes; `unknown` where it says nothing that TypeScript can follow. */
export type InferSchema<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly type: "string" }
      ? string
      : S extends { readonly type: "number" | "integer" }
        ? number
        : S extends { readonly type: "boolean" }
          ? boolean
          : S extends { readonly type: "null" }
            ? null
            : S extends { readonly type: "array"; readonly items: infer I }
              ? readonly InferSchema<I>[]
              : S extends { readonly type: "array" }
                ? readonly unknown[]
                : S extends { readonly type: "object"; readonly properties: infer P }
                  ? InferObject<P, S extends { readonly required: readonly (infer R)[] } ? R : never>
                  : S extends { readonly type: "object" }
                    ? { readonly [key: string]: unknown }
                    : unknown;

type InferObject<P, R> = {
  readonly [K in keyof P as K extends R ? K : P[K] extends { readonly default: unknown } ? K : never]: InferSchema<
    P[K]
  >;
} & {
  readonly [K in keyof P as K extends R ? never : P[K] extends { readonly default: unknown } ? never : K]?: InferSchema<
    P[K]
  >;
};
