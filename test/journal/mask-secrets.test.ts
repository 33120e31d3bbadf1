import { describe, expect, it } from "vitest";
import { maskSecrets } from "../../src/journal/mask-secrets.ts";

describe("maskSecrets()", () => {
  it("masks by key, however deep and whatever the value", () => {
    const input = { user: "bob", db: { password: "hunter2", pins: [{ accessToken: 42 }] }, credentials: { a: ["x"] } };
    expect(maskSecrets(input)).toEqual({
      user: "bob",
      db: { password: "[masked]", pins: [{ accessToken: "[masked]" }] },
      credentials: "[masked]",
    });
    expect(input.db.password).toBe("hunter2");
  });

  it("keeps what says whether there is a secret, and how many tokens something takes", () => {
    const input = { token: null, password: false, maxTokens: 100, secret: undefined };
    expect(maskSecrets(input)).toEqual(input);
  });

  it("masks the element behind a flag, and the password behind a user", () => {
    const argv = [
      "x",
      "--token",
      "hunter2",
      "--token=hunter2",
      "-u",
      "bob:hunter2",
      "--user",
      "1000:1000",
      "--port",
      "1",
    ];
    expect(maskSecrets(argv)).toEqual([
      "x",
      "--token",
      "[masked]",
      "--token=[masked]",
      "-u",
      "bob:[masked]",
      "--user",
      "1000:1000",
      "--port",
      "1",
    ]);
  });

  it("masks the value of a named pair", () => {
    expect(
      maskSecrets([
        { name: "DB_PASSWORD", value: "hunter2" },
        { name: "HOME", value: "/root" },
      ]),
    ).toEqual([
      { name: "DB_PASSWORD", value: "[masked]" },
      { name: "HOME", value: "/root" },
    ]);
  });

  it("masks in keys, and sets no prototype by one", () => {
    const masked = maskSecrets(JSON.parse('{"token=hunter2": 1, "__proto__": {"a": 1}}'));
    expect(JSON.stringify(masked)).toBe('{"token=[masked]":"[masked]","__proto__":{"a":1}}');
    expect(Object.getPrototypeOf(masked)).toBe(Object.prototype);
  });
});
