type Schema = Readonly<Record<string, unknown>>;

/** The input as a model in strict mode has to write it: null wherever a property is left out. */
export function fillNulls(value: unknown, schema: Schema): unknown {
  const forms = (schema["anyOf"] as readonly Schema[] | undefined) ?? [schema];
  if (Array.isArray(value)) {
    const lists = forms.filter((form) => "items" in form);
    return lists.length === 1 ? value.map((item: unknown) => fillNulls(item, lists[0]!["items"] as Schema)) : value;
  }
  if (typeof value !== "object" || value === null) return value;
  const objects = forms.filter((form) => "properties" in form);
  if (objects.length !== 1) return fillAny(value, objects);
  return fillObject(value, objects[0]!);
}

/** Of several forms the one that knows exactly the keys that are given. */
function fillAny(value: object, objects: readonly Schema[]): unknown {
  const known = objects.find((form) => Object.keys(value).every((key) => key in (form["properties"] as Schema)));
  return known === undefined ? value : fillObject(value, known);
}

function fillObject(value: object, form: Schema): unknown {
  const properties = form["properties"] as Readonly<Record<string, Schema>>;
  const given = new Map<string, unknown>(Object.entries(value));
  const filled = Object.entries(properties).map(([name, each]) => [
    name,
    given.has(name) ? fillNulls(given.get(name), each) : null,
  ]);
  return { ...value, ...Object.fromEntries(filled) };
}
