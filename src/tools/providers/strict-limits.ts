import { providerMessages } from "../../errors/messages/providers.ts";
import { listedSchemas, namedSchemas, type SchemaObject } from "./schema-object.ts";

/** The documented limits of strict mode: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas */
const LIMITS = { properties: 5_000, depth: 10, choices: 1_000, characters: 120_000, charactersOfChoice: 15_000 };
/** From so many values on, the characters of one choice are limited too. */
const LONG_CHOICE = 250;

/** Which limits a schema in the form of strict mode exceeds. */
export function findLimitProblems(schema: SchemaObject): readonly string[] {
  const count: Count = { properties: 0, depth: 0, choices: 0, characters: 0, longestChoice: 0 };
  measure(schema, 1, count);
  const problems: string[] = [];
  if (count.properties > LIMITS.properties) problems.push(providerMessages.strictProperties(LIMITS.properties));
  if (count.depth > LIMITS.depth) problems.push(providerMessages.strictDepth(LIMITS.depth));
  if (count.choices > LIMITS.choices) problems.push(providerMessages.strictChoices(LIMITS.choices));
  if (count.characters > LIMITS.characters) problems.push(providerMessages.strictCharacters(LIMITS.characters));
  if (count.longestChoice > LIMITS.charactersOfChoice) {
    problems.push(providerMessages.strictCharacters(LIMITS.charactersOfChoice));
  }
  return problems;
}

interface Count {
  properties: number;
  depth: number;
  choices: number;
  characters: number;
  longestChoice: number;
}

function measure(schema: SchemaObject, depth: number, count: Count): void {
  count.depth = Math.max(count.depth, depth);
  const values: readonly unknown[] = Array.isArray(schema["enum"]) ? schema["enum"] : [];
  const characters = values.reduce((sum: number, value) => sum + (typeof value === "string" ? value.length : 0), 0);
  count.choices += values.length;
  count.characters += characters;
  if (values.length > LONG_CHOICE) count.longestChoice = Math.max(count.longestChoice, characters);
  for (const [name, property] of namedSchemas(schema["properties"])) {
    count.properties += 1;
    count.characters += name.length;
    measure(property, depth + 1, count);
  }
  for (const branch of listedSchemas(schema["anyOf"])) measure(branch, depth, count);
  for (const items of listedSchemas("items" in schema ? [schema["items"]] : [])) measure(items, depth + 1, count);
}
