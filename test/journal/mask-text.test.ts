import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSecretName, maskText } from "../../src/journal/mask-text.ts";

describe("maskText()", () => {
  it.each([
    ["a bearer token in a header", "curl -H 'Authorization: Bearer abc.def' h", "curl -H 'Authorization: [masked]' h"],
    [
      "another scheme in a header",
      "Proxy-Authorization: Basic dTpw\nHost: h",
      "Proxy-Authorization: [masked]\nHost: h",
    ],
    ["a cookie", "Cookie: sid=hunter2; theme=dark", "Cookie: [masked]"],
    ["a bearer token anywhere", "sent bearer hunter2hunter2, got 401", "sent bearer [masked], got 401"],
    ["a password in a URL", "psql postgres://bob:hun@ter2@db/x", "psql postgres://bob:[masked]@db/x"],
    ["a password without a user in a URL", "redis://:hunter2@cache:6379", "redis://:[masked]@cache:6379"],
    ["a password of curl", "curl -u bob:hunter2 h", "curl -u bob:[masked] h"],
    ["a quoted password of curl", `curl --user "bob:hunter two" h`, `curl --user "bob:[masked]" h`],
    ["a flag's value", "login --token hunter2 --verbose", "login --token [masked] --verbose"],
    ["a flag's value behind =", "login --db-password=hunter2 --verbose", "login --db-password=[masked] --verbose"],
    ["a flag's quoted value", "login --password 'hunter two' x", "login --password [masked] x"],
    ["a variable", "export GITHUB_TOKEN=hunter2 && ls", "export GITHUB_TOKEN=[masked] && ls"],
    ["a variable with a quoted value", `API_KEY="hunter \\" two" run`, "API_KEY=[masked] run"],
    ["a value that goes on behind its quotes", "SECRET='hunter'two run", "SECRET=[masked] run"],
    ["a value whose end is cut off", 'password: "hunter two', "password: [masked]"],
    ["JSON", '{"password": "hunter2" }', '{"password": [masked] }'],
    ["JSON in JSON", String.raw`{\"apiKey\":\"hunter2\"}`, String.raw`{\"apiKey\":[masked]`],
    ["a query", "GET /?access_token=hunter2&page=2", "GET /?access_token=[masked]&page=2"],
    ["a query inside a harmless value", "token_url=h/?token=hunter2", "token_url=h/?token=[masked]"],
    ["a connection string", "Uid=sa;Pwd=hunter2", "Uid=sa;Pwd=[masked]"],
    ["npm's own form", "//registry/:_auth=hunter2", "//registry/:_auth=[masked]"],
    ["a key block", "a -----BEGIN RSA PRIVATE KEY-----\nx\n-----END RSA PRIVATE KEY----- b", "a [masked] b"],
    ["a key block that is cut off", "a -----BEGIN OPENSSH PRIVATE KEY-----\nhunter2", "a [masked]"],
  ])("masks %s", (_title, text, masked) => {
    expect(maskText(text)).toBe(masked);
  });

  it.each([
    "the token is not valid",
    "docker run -u 1000:1000 image",
    "docker login --password-stdin registry.example",
    "login --token --verbose",
    "PWD=/home/bob ls",
    "see https://example.com/a:b and user@example.com",
    "glob-pattern-matching-library and task-runner-for-everything",
    "const tokenizer = new Tokenizer()",
    "token_type=bearer",
    "",
  ])("leaves alone: %s", (text) => {
    expect(maskText(text)).toBe(text);
  });

  // Put together here, so that no scanner takes the source for a leak.
  const shapes = [
    ["AKIA", "ABCDEFGHIJKLMNOP"],
    ["ghp_", "a1B2".repeat(9)],
    ["github_pat_", "a1B2".repeat(9)],
    ["glpat-", "a1B2".repeat(5)],
    ["xoxb-", "123456789012-abcdef"],
    ["sk-", "proj-a1B2c3D4e5F6g7H8"],
    ["sk-ant-", "api03-a1B2c3D4e5F6g7"],
    ["sk_live_", "a1B2c3D4e5F6"],
    ["AIza", "a1B2c".repeat(7)],
    ["ya29.", "a1B2c3D4e5F6"],
    ["GOCSPX-", "a1B2".repeat(5)],
    ["whsec_", "a1B2".repeat(5)],
    ["xapp-", "1-A1B2C3D4E5"],
    ["pypi-AgE", "a1B2".repeat(5)],
    ["dop_v1_", "a1b2".repeat(8)],
    ["shpat_", "a1b2".repeat(8)],
    ["dckr_pat_", "a1B2".repeat(6)],
    ["npm_", "a1B2c3".repeat(6)],
    ["hf_", "a1B2c3".repeat(5)],
    ["SG.", `${"a1B2".repeat(5)}.${"c3D4".repeat(5)}`],
    ["eyJ", "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"],
  ].map((parts) => parts.join(""));
  it.each(shapes)("knows the shape of %s", (secret) => {
    expect(maskText(`use (${secret}) now`)).toBe("use ([masked]) now");
  });

  it("hides a secret whatever stands around it", () => {
    const secret = fc.stringMatching(/^[A-Za-z0-9+/._@!$%-]{8,40}$/);
    const forms = fc.constantFrom<(secret: string) => string>(
      (s) => `--password ${s.replace(/^-+/, "x")}`,
      (s) => `--api-key=${s}`,
      (s) => `DB_PASSWORD=${s}`,
      (s) => `"client_secret": "${s}"`,
      (s) => `Authorization: Bearer ${s}`,
      (s) => `https://bob:${s.replaceAll("/", "x")}@example.com/`,
    );
    const text = fc.string({ unit: "grapheme", maxLength: 60 });
    fc.assert(
      fc.property(secret, forms, fc.tuple(text, text), (value, form, [before, after]) => {
        const written = form(value);
        const core = value.replace(/^-+/, "x").replaceAll("/", "x");
        const masked = maskText(`${before}\n${written} ${after}`);
        // The secret itself may stand around it by chance.
        if (`${before} ${after}`.includes(core)) return;
        expect(masked).not.toContain(written.includes(value) ? value : core);
      }),
    );
  });

  it("masks nothing twice", () => {
    fc.assert(
      fc.property(fc.constantFrom("token=", "--password ", "Authorization: ", "redis://:"), (prefix) => {
        const once = maskText(`${prefix}hunter2hunter2@h`);
        expect(maskText(once)).toBe(once);
      }),
    );
  });

  it.each(["token=", 'password "', "-----BEGIN A-----", "x://", "eyJ", "-u a", "--token-", "bearer ", "\\", "-", "a"])(
    "takes a time that the text %s repeated cannot stretch",
    (piece) => {
      const started = process.cpuUsage();
      maskText(piece.repeat(100_000 / piece.length));
      expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
    },
  );
});

describe("isSecretName()", () => {
  it.each(["password", "DB_PASSWD", "apiKey", "api-key", "X-Api-Key", "accessToken", "client_secret", "Authorization"])(
    "says yes to %s",
    (name) => {
      expect(isSecretName(name)).toBe(true);
    },
  );
  it.each(["auth", "credentials", "privateKey", "Set-Cookie", "sessionId", "pwd", "passphrase"])(
    "says yes to the short %s",
    (name) => {
      expect(isSecretName(name)).toBe(true);
    },
  );
  it.each(["key", "author", "path", "tokenizer", "tokenType", "passwordFile", "secret_name", "token-url", "monkey"])(
    "says no to %s",
    (name) => {
      expect(isSecretName(name)).toBe(false);
    },
  );
});
