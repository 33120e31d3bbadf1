import { describe, expect, it } from "vitest";

import { ConfigurationError } from "../../src/errors/configuration-error.ts";
import { allowsTarget, parseHostRules } from "../../src/egress/host-rule.ts";
import { isPublicAddress } from "../../src/egress/resolve-target.ts";

const HOW = 'use a name such as "packages.example.com", "*.example.com" or "example.com:8443"';

describe("parseHostRules()", () => {
  it("reads names, names below a name, and ports", () => {
    expect(parseHostRules(["Example.com", "*.example.com", "example.com:8443", "bücher.example"])).toStrictEqual([
      { host: "example.com", isBelow: false, ports: [80, 443] },
      { host: "example.com", isBelow: true, ports: [80, 443] },
      { host: "example.com", isBelow: false, ports: [8443] },
      { host: "xn--bcher-kva.example", isBelow: false, ports: [80, 443] },
    ]);
  });

  it.each([
    ["", "it is not a host name with an optional port"],
    ["*", "it is not a host name with an optional port"],
    ["https://example.com", "it is not a host name with an optional port"],
    ["example.com/path", "it is not a host name with an optional port"],
    ["user@example.com", "it is not a host name with an optional port"],
    ["example.com:", "it is not a host name with an optional port"],
    ["a b", "it is not a host name with an optional port"],
    ["[::1]", "it is not a host name with an optional port"],
    ["exa*mple.com", "it is not a host name with an optional port"],
    ["*.com", "everything below a single word is too much"],
    ["example.com.", "it ends with a dot"],
    ["127.0.0.1", "it is an address"],
    ["127.1", "it is an address"],
    ["0x7f000001", "it is an address"],
    ["example.com:0", "its port is not between 1 and 65535"],
    ["example.com:65536", "its port is not between 1 and 65535"],
    ["a\0b", "it is not a host name"],
  ])("refuses %j", (entry, problem) => {
    expect(() => parseHostRules([entry])).toThrow(
      new ConfigurationError(`Cannot allow the host ${JSON.stringify(entry)}: ${problem}; ${HOW}`),
    );
  });
});

describe("allowsTarget()", () => {
  it("takes a name below one for itself only when the rule says below", () => {
    const [exact, below] = [parseHostRules(["example.com"]), parseHostRules(["*.example.com"])];
    const hosts = ["example.com", "a.example.com", "a.b.example.com", "badexample.com"];
    expect(hosts.map((host) => allowsTarget(exact, { host, port: 443 }))).toStrictEqual([true, false, false, false]);
    expect(hosts.map((host) => allowsTarget(below, { host, port: 443 }))).toStrictEqual([false, true, true, false]);
  });

  it("allows nothing when the list is empty", () => {
    expect(allowsTarget(parseHostRules([]), { host: "example.com", port: 443 })).toBe(false);
  });
});

describe("isPublicAddress()", () => {
  it.each(["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"])("is true for %s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "fe80::1",
    "fc00::1",
    "fd12:3456::1",
    "ff02::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "nonsense",
    "",
  ])("is false for %j", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});
