/*
 * A record outlives the call by months and is read by people and programs that were never meant to see a password. So what
 * looks like a secret is taken out before the record is hashed and written; nothing can take it out afterwards.
 *
 * There is no list of all secrets, so this errs on the side of masking: a name such as "token" hides whatever is assigned to
 * it, also where it is a harmless piece of code. What has neither a telling name nor a known shape cannot be found.
 *
 * Every part of a pattern is bounded or cannot fail after an unbounded part: the text is the model's choice, and the time it
 * takes must not be.
 */

/** What stands where a secret stood. */
export const MASK = "[masked]";

/** Masks the secrets in a text: key blocks, keys of known shapes, headers, passwords in URLs, flags and assignments. */
export function maskText(text: string): string {
  if (!TRACE.test(text)) return text;
  return text
    .replace(KEY_BLOCK, MASK)
    .replace(KNOWN_SHAPE, MASK)
    .replace(HEADER, `$<name>${MASK}`)
    .replace(BEARER, `$<scheme>${MASK}`)
    .replace(URL_PASSWORD, `$<user>:${MASK}@`)
    .replace(QUOTED_USER, `$<user>:${MASK}`)
    .replace(USER, `$<user>:${MASK}`)
    .replace(FLAG_VALUE, maskNamedValue)
    .replace(ASSIGNMENT, maskNamedValue);
}

/** Whether a key, a flag or a variable of this name holds a secret: `apiKey`, `--db-password`, `GITHUB_TOKEN`. */
export function isSecretName(name: string): boolean {
  if (!TRACE.test(name)) return false;
  const plain = plainName(name);
  return SECRET_NAME.test(plain) && !HARMLESS_NAME.test(plain);
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/**
 * Something that every pattern below needs. Most texts have nothing of it, and then one look is enough.
 */
const TRACE =
  /pass|pwd|secret|token|key|auth|cookie|bearer|credential|session|-----BEGIN|:\/\/|-u|AKIA|ASIA|ABIA|ACCA|gh[opusr]_|github_|gl[a-z]{2,5}-|xox|xapp-|sk-|[srp]k_|whsec_|AIza|ya29|GOCSPX|npm_|pypi-|hf_|do[oprt]_v1|SG\.|shp[a-z]{2}_|dckr_|eyJ/i;

const SECRET_NAME =
  /passw(?:or)?d|passphrase|passcode|pwd$|secret|token|apikey|accesskey|accountkey|privatekey|signingkey|encryptionkey|authorization|credential|cookie|sessionid|bearer|^auth$|(?:basic|proxy|http)auth$/;

/** Names of something about a secret: where it lies, how long it lives, what kind it is. */
const HARMLESS_NAME =
  /(?:file|path|stdin|name|url|uri|type|ttl|count|limit|length|policy|expiry|expires(?:in|at)?)$|tokeniz/;

/** A block that is cut off hides the rest of the text. */
const KEY_BLOCK = /-----BEGIN [A-Z0-9 ]{1,60}-----[\s\S]*?(?:-----END [A-Z0-9 ]{1,60}-----|$)/g;

/**
 * Keys whose makers gave them a shape: AWS, GitHub, GitLab, Slack, OpenAI and Anthropic, Stripe, Google, npm, PyPI, Hugging
 * Face, DigitalOcean, SendGrid, Shopify, Docker Hub; and JSON Web Tokens.
 */
const KNOWN_SHAPE = new RegExp(
  [
    String.raw`\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b`,
    String.raw`\b(?:gh[opusr]_\w{20,}|github_pat_\w{20,}|gl(?:pat|dt|rt|ptt|cbt|ft|imt|agent|soat)-[\w-]{16,})`,
    String.raw`\b(?:xox[a-z]-[\w-]{10,}|xapp-[\w-]{10,})`,
    String.raw`\bsk-[\w-]{16,}`,
    String.raw`\b(?:[srp]k_(?:live|test)_\w{10,}|whsec_[\w+/=]{16,})`,
    String.raw`\b(?:AIza[\w-]{30,}|ya29\.[\w-]{10,}|GOCSPX-[\w-]{16,})`,
    String.raw`\b(?:npm_[A-Za-z0-9]{30,}|pypi-AgE[\w-]{16,}|hf_[A-Za-z0-9]{20,}|do[oprt]_v1_\w{20,})`,
    String.raw`\b(?:SG\.[\w-]{16,64}\.[\w-]{16,}|shp(?:at|ca|pa|ss)_\w{20,}|dckr_(?:pat|oat)_[\w-]{16,})`,
    String.raw`\beyJ[\w-]{8,}(?:\.[\w-]*){1,2}`,
  ].join("|"),
  "g",
);

/** `Authorization: …` and `Cookie: …`, to the end of the line or of the quotes around it. */
const HEADER = /(?<name>\b(?:authorization|cookie)\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?)[^\r\n"'\\]+/gi;

const BEARER = /(?<scheme>\bbearer\s{1,4})[^\s"'\\,;]{8,}/gi;

/** `postgres://user:password@host`; a password may hold an `@` where people forget to encode it. */
const URL_PASSWORD = /(?<user>\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"']{0,64}):[^\s/"']{1,256}@/gi;

const USER_FLAG = String.raw`(?<![\w-])(?:-u|--user|--proxy-user)[ =]{1,4}`;
/** Two numbers are a user and a group, as in `docker run -u 1000:1000`. */
const NO_NUMBERS = String.raw`(?!\d{1,10}:\d{1,10}(?![^\s"']))`;

/** `curl -u user:password` */
const USER = new RegExp(String.raw`(?<user>${USER_FLAG}${NO_NUMBERS}[^\s:"']{1,64}):[^\s"']+`, "g");
const QUOTED_USER = new RegExp(String.raw`(?<user>${USER_FLAG}["']${NO_NUMBERS}[^:"']{1,64}):[^"']+`, "g");

const NAME =
  "(?:passw(?:or)?d|passphrase|passcode|secret|token|credential|session[_-]?id|" +
  String.raw`(?:api|access|account|private|signing|encryption)[_-]?key)[\w-]{0,40}`;

/** Quoted text, also when its end is cut off, and whatever stands beside it without a space. */
const VALUE = String.raw`(?<value>(?:"(?:[^"\\]|\\[\s\S]?)*(?:"|$)|'[^']*(?:'|$)|[^\s"'&])+)`;

/** `--db-password value`, `--token=value` */
const FLAG_VALUE = new RegExp(
  String.raw`(?<name>(?<![\w-])--?(?:[\w-]{0,40}?)${NAME})(?<between>\s{0,4}=\s{0,4}|\s{1,4}(?=[^\s-]))${VALUE}`,
  "gi",
);

/** `GITHUB_TOKEN=value`, `"password": "value"`, `?access_token=value` */
const ASSIGNMENT = new RegExp(
  String.raw`(?<name>(?:(?<=[;?&])pwd|\b_auth|${NAME}))(?<between>\\?["']?\s{0,4}[:=]{1,2}>?\s{0,4})${VALUE}`,
  "gi",
);

function maskNamedValue(_match: string, ...rest: readonly unknown[]): string {
  // The last argument for a pattern with named groups is the groups, and these patterns have all three.
  const { name = "", between = "", value = "" } = rest.at(-1) as Readonly<Record<string, string | undefined>>;
  // What a harmless name holds may hold a secret in turn: `token_url=https://host/?token=…`.
  return `${name}${between}${HARMLESS_NAME.test(plainName(name)) ? maskText(value) : MASK}`;
}
