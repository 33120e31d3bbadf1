import { MASK, isSecretName, maskText } from "./mask-text.ts";

/**
 * Masks what is secret in plain data: by the name of its key, by the flag before it in an argument list, by the name
 * that stands beside it in a `{ name, value }` pair, and by how a text looks. Never changes what it is given.
 */
export function maskSecrets(value: unknown): unknown {
  if (typeof value === "string") return maskText(value);
  if (Array.isArray(value)) return maskList(value);
  if (typeof value === "object" && value !== null) return maskFields(value);
  return value;
}

/** An element behind `--token` is its value; one behind `--user` may be a name and a password. */
function maskList(list: readonly unknown[]): readonly unknown[] {
  return list.map((element, index) => {
    const before: unknown = list[index - 1];
    if (typeof before !== "string" || typeof element !== "string") return maskSecrets(element);
    if (FLAG.test(before) && isSecretName(before)) return MASK;
    return maskText(USER_FLAG.test(before) ? element.replace(USER_AND_PASSWORD, `$<user>:${MASK}`) : element);
  });
}

const FLAG = /^--?[a-z][\w-]*$/i;
const USER_FLAG = /^(?:-u|--user|--proxy-user)$/;
/** Two numbers are a user and a group. */
const USER_AND_PASSWORD = /^(?!\d+:\d+$)(?<user>[^\s:]+):.+$/s;

function maskFields(fields: object): object {
  const isNamedSecret = NAMING_KEYS.some((key) => {
    const name: unknown = Reflect.get(fields, key);
    return typeof name === "string" && isSecretName(name);
  });
  const entries = Object.entries(fields).map(([key, value]): readonly [string, unknown] => {
    const isSecret = isSecretName(key) || (isNamedSecret && key === "value");
    return [maskText(key), isSecret ? maskWhole(key, value) : maskSecrets(value)];
  });
  // Not by assignment: a key may be "__proto__".
  return Object.fromEntries(entries);
}

const NAMING_KEYS = ["name", "key", "header"];

/** Numbers under a key such as `maxTokens` count something; a boolean or null says whether there is a secret. */
function maskWhole(key: string, value: unknown): unknown {
  if (value === undefined || value === null || typeof value === "boolean") return value;
  return typeof value === "number" && /tokens$/i.test(key) ? value : MASK;
}
