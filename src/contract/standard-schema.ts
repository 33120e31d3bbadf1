import type { InferSchema, JsonSchema, ObjectSchema } from "./json-schema.ts";

/**
 * A schema of any library that follows Standard Schema (https://standardschema.dev) and can say itself as a JSON Schema:
 * Zod 4 and ArkType as they are, Valibot through `@valibot/to-json-schema`.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    /** For types only; absent when the program runs. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly jsonSchema: {
      /** What goes in: what the model is shown. */
      readonly input: (options: StandardSchemaOptions) => Record<string, unknown>;
      /** What comes out, after transforms. */
      readonly output: (options: StandardSchemaOptions) => Record<string, unknown>;
    };
  };
}

/** Which dialect of JSON Schema to write. */
export interface StandardSchemaOptions {
  readonly target: "draft-2020-12";
}

/** What `validate` answers: `issues` tells failure from success. */
export type StandardResult<Output> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly StandardIssue[] };

/** One thing that is wrong with a value, and where. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What the `parameters` of a definition may be. */
export type InputSchema = ObjectSchema | StandardSchema;

/** What the `output` of a definition may be. */
export type OutputSchema = JsonSchema | StandardSchema;

/** The type of a value that a schema has accepted: defaults filled in and, for a Standard Schema, transforms applied. */
export type InferInput<S> = S extends { readonly "~standard": { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly output: infer O }
    ? O
    : unknown
  : InferSchema<S>;
