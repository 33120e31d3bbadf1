/** A schema as Gemini reads it. Counts are texts, because JSON's numbers do not hold every 64-bit integer. */
export interface GeminiSchema {
  readonly type?: "STRING" | "NUMBER" | "INTEGER" | "BOOLEAN" | "ARRAY" | "OBJECT";
  readonly description?: string;
  readonly nullable?: boolean;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minLength?: string;
  readonly maxLength?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: GeminiSchema;
  readonly minItems?: string;
  readonly maxItems?: string;
  readonly properties?: Readonly<Record<string, GeminiSchema>>;
  readonly required?: readonly string[];
  readonly minProperties?: string;
  readonly maxProperties?: string;
  readonly anyOf?: readonly GeminiSchema[];
}
