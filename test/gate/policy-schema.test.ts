import { readFile } from "node:fs/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import { format } from "prettier";
import { expect, it } from "vitest";
import { POLICY_SCHEMA } from "../../src/gate/policy-schema.ts";

const FILE = new URL("../../policy.schema.json", import.meta.url);

// `npx vitest run -u` writes the file anew.
it("policy.schema.json is the schema that policies are checked with", async () => {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Cofferdam policy",
    ...POLICY_SCHEMA,
  };
  const text = await format(JSON.stringify(schema), { parser: "json", printWidth: 120 });
  await expect(text).toMatchFileSnapshot(FILE.pathname);
});

it("policy.schema.json is a valid schema that takes the README's policy and refuses a misspelt key", async () => {
  const check = new Ajv2020().compile(JSON.parse(await readFile(FILE, "utf8")));
  const readme = await readFile(new URL("../../README.md", import.meta.url), "utf8");
  const [, policy = ""] = /^```json\n(.*?)^```$/ms.exec(readme) ?? [];
  expect(check(JSON.parse(policy))).toBe(true);
  expect(check({ dney: [] })).toBe(false);
});
