// @slow

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileNetwork, type NetworkOptions } from "../../../../src/capabilities/webhooks/delivery/network.js";
import { checkWebhookUrl } from "../../../../src/capabilities/webhooks/delivery/url.js";
import { ProblemError } from "../../../../src/ground/problem/index.js";
import { propertyRuns } from "../../../tools/propertyRuns.js";

/** The URL as it is stored, or the code of the refusal. */
function check(input: string, options: NetworkOptions = {}): string {
  try {
    return checkWebhookUrl(input, compileNetwork(options)).href;
  } catch (error) {
    if (error instanceof ProblemError) return error.code;
    throw error;
  }
}

const notAllowed = "WEBHOOK_URL_NOT_ALLOWED";
const notHttps = "WEBHOOK_URL_NOT_HTTPS";

/** Ways to write 127.0.0.1 that the URL parser folds. */
const loopback = [
  "127.0.0.1",
  "127.1",
  "127.0.1",
  "127.0.0.1.",
  "127.1.",
  "2130706433",
  "2130706433.",
  "0x7f000001",
  "0X7F000001",
  "0x7f.1",
  "0x7f.0.0.1",
  "0x7f.0x0.0x0.0x1",
  "017700000001",
  "0177.1",
  "0177.0.0.1",
  "0177.0.0.01",
  "00000177.0.0.1",
  "0177.0x0.0.1",
  "127.0.0.0x1",
  "127.0x0.1",
  "%31%32%37.0.0.1",
  "%31%32%37%2e0%2e0%2e1",
  "127%2E0.0.1",
  "127。0。0。1",
  "127．0．0．1",
  "127｡0｡0｡1",
  "１２７.0.0.1",
  "１２７．０．０．１",
  "①②⑦.⓪.⓪.①",
  "0x7F.1.",
  "𝟏𝟐𝟕.𝟎.𝟎.𝟏",
  "127\u00ad.0.0.1",
  "127\u200b.0.0.1",
  "%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[0:0:0:0:0:FFFF:7F00:0001]",
];

const otherPrivate = [
  "0",
  "0x0",
  "0.0.0.0",
  "00",
  "169.254.169.254",
  "2852039166",
  "0xa9fea9fe",
  "0251.0376.0251.0376",
  "169.254.43518",
  "10.1",
  "192.168.257",
  "3232235777",
  "168.63.129.16",
  "[::1]",
  "[::]",
  "[fd00:ec2::254]",
  "[fe80::1]",
  "[64:ff9b::a9fe:a9fe]",
  "[2002:7f00:1::]",
];

const unparsable = [
  "[fe80::1%25eth0]",
  "[::1",
  "256.256.256.256",
  "1.2.3.4.5",
  "127.0.0.09",
  "a b.com",
  "a%00b.com",
  "a<b.com",
  "",
  "[127.0.0.1]",
  "%zz.com",
];

describe("a host that is an address in disguise", () => {
  test.each([...loopback, ...otherPrivate, ...unparsable])("is refused, whether or not literals are allowed: %s", (host) => {
    expect(check(`https://${host}/hook`)).toBe(notAllowed);
    expect(check(`https://${host}/hook`, { allowIpLiterals: true })).toBe(notAllowed);
  });

  test.each(loopback)("is reached where its block is allowed: %s", (host) => {
    expect(check(`https://${host}:8443/hook`, { allowCidrs: ["127.0.0.1/32"] })).toMatch(/^https:\/\/(127\.0\.0\.1|\[::ffff:7f00:1\]):8443\/hook$/);
  });

  test.each(otherPrivate)("is not reached where another block is allowed: %s", (host) => {
    expect(check(`https://${host}/hook`, { allowCidrs: ["127.0.0.1/32"] })).toBe(notAllowed);
  });

  test("is reached where it is public and literals are allowed", () => {
    expect(check("https://8.8.8.8/")).toBe(notAllowed);
    expect(check("https://8.8.8.8/", { allowIpLiterals: true })).toBe("https://8.8.8.8/");
    expect(check("https://[2606:4700::1111]/", { allowIpLiterals: true })).toBe("https://[2606:4700::1111]/");
    expect(check("https://8.8.8.8/", { allowIpLiterals: true, denyCidrs: ["8.8.8.8/32"] })).toBe(notAllowed);
  });
});

describe("a name of a private network", () => {
  const names = ["localhost", "local", "internal", "intranet", "lan", "home.arpa", "onion"];

  test.each(names)("is refused, by itself and before all below it: %s", (name) => {
    for (const host of [
      name,
      `${name}.`,
      name.toUpperCase(),
      `printer.${name}`,
      `a.b.${name}.`,
      `${name[0]}%${name.charCodeAt(1).toString(16)}${name.slice(2)}`,
    ]) {
      expect([host, check(`https://${host}/`)]).toEqual([host, notAllowed]);
    }
  });

  test.each(names)("is not taken for one that only ends alike: %s", (name) => {
    expect(check(`https://my${name}.com/`)).toBe(`https://my${name}.com/`);
    expect(check(`https://x.my${name}.com/`)).toBe(`https://x.my${name}.com/`);
    expect(check(`https://${name}.example.com/`)).toBe(`https://${name}.example.com/`);
    expect(check(`https://hooks.my${name}/`)).toBe(name === "home.arpa" ? "https://hooks.myhome.arpa/" : `https://hooks.my${name}/`);
  });

  test.each(["metadata", "db", "xn--nxasmq6b", "ＬＯＣＡＬＨＯＳＴ", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "local%68ost", "localhost%2e"])(
    "is refused where it has one label: %s",
    (host) => {
      expect(check(`https://${host}/`)).toBe(notAllowed);
    },
  );

  test("is reached where the developer allows it", () => {
    const options = { allowHosts: ["localhost", "Metadata", "my_host.lan"] };
    expect(check("https://localhost:8443/x", options)).toBe("https://localhost:8443/x");
    expect(check("https://LOCALHOST.:8443/x", options)).toBe("https://localhost:8443/x");
    expect(check("https://metadata/", options)).toBe("https://metadata/");
    expect(check("https://my_host.lan/", options)).toBe("https://my_host.lan/");
    expect(check("https://a.localhost/", options)).toBe(notAllowed);
  });
});

describe("a URL without TLS", () => {
  const options = { allowHosts: ["localhost", "orders.mesh"], http: true };

  test("is stored for the hosts that are named, on port 80 and from 1024 on", () => {
    expect(check("http://localhost:3000/hook", options)).toBe("http://localhost:3000/hook");
    expect(check("HTTP://LOCALHOST.:80/hook", options)).toBe("http://localhost/hook");
    expect(check("http://orders.mesh/", options)).toBe("http://orders.mesh/");
    expect(check("https://orders.mesh/", options)).toBe("https://orders.mesh/");
    expect(check("http://orders.mesh:443/", options)).toBe(notAllowed);
    expect(check("https://orders.mesh:80/", options)).toBe(notAllowed);
    expect(check("http://orders.mesh:9000/", { ...options, allowedPorts: [8_080] })).toBe(notAllowed);
    expect(check("http://orders.mesh/", { ...options, allowedPorts: [] })).toBe("http://orders.mesh/");
  });

  test.each([
    "http://hooks.example.com/",
    "http://a.localhost/",
    "http://localhost.evil.test/",
    "http://127.0.0.1/",
    "http://[::1]/",
    "http://2130706433/",
    "ftp://localhost/",
    "ws://localhost/",
    "unix:/run/localhost",
  ])("of any other host, and of another scheme, is refused: %s", (input) => {
    expect(check(input, { ...options, allowCidrs: ["127.0.0.1/32", "::1/128"], allowIpLiterals: true })).toBe(notHttps);
  });

  test.each(["http://a@localhost/", "http://localhost/#x", "http://localhost:22/"])("follows every other rule: %s", (input) => {
    expect(check(input, options)).toBe(notAllowed);
  });

  test("is refused without the exception, and for a name that is denied", () => {
    expect(check("http://localhost/", { allowHosts: ["localhost"] })).toBe(notHttps);
    expect(check("http://localhost/", { ...options, http: false })).toBe(notHttps);
    expect(check("http://orders.mesh/", { ...options, denyHosts: ["*.mesh"] })).toBe(notAllowed);
  });

  test("without a name that it is for is an error at start-up", () => {
    expect(() => compileNetwork({ http: true })).toThrow(`"http" is true, but "allowHosts" names no host`);
    expect(() => compileNetwork({ http: true, allowCidrs: ["127.0.0.1/32"] })).toThrow(`"allowHosts" names no host`);
    expect(compileNetwork(options).exceptions).toEqual(["localhost", "http://localhost", "orders.mesh", "http://orders.mesh"]);
  });
});

describe("a name", () => {
  test.each([
    ["https://hooks.example.com/a?b=c", "https://hooks.example.com/a?b=c"],
    ["HTTPS://Hooks.Example.COM", "https://hooks.example.com/"],
    ["https://hooks.example.com./a", "https://hooks.example.com/a"],
    ["https://hooks.example.com:443/", "https://hooks.example.com/"],
    ["https://hooks.example.com.:8443/", "https://hooks.example.com:8443/"],
    ["https://münchen.example/ü?ä", "https://xn--mnchen-3ya.example/%C3%BC?%C3%A4"],
    ["https://hooks.test/", "https://hooks.test/"],
    [`https://${"a".repeat(63)}.com/`, `https://${"a".repeat(63)}.com/`],
    ["https://1a.2b.com/", "https://1a.2b.com/"],
    ["https://127.0.0.1.nip.io/", "https://127.0.0.1.nip.io/"],
    ["https://a.com/http://10.0.0.1/", "https://a.com/http://10.0.0.1/"],
  ])("of the internet is stored as the parser writes it: %s", (input, stored) => {
    expect(check(input)).toBe(stored);
  });

  test.each([
    "https://a..b/",
    "https://a.com../",
    "https://.a.com/",
    "https://./",
    "https://-a.com/",
    "https://a-.com/",
    "https://a_b.com/",
    `https://${"a".repeat(64)}.com/`,
    `https://${"a.".repeat(127)}com/`,
    "https://a~b.com/",
    "https://a!b.com/",
  ])("that DNS does not know is refused: %s", (input) => {
    expect(check(input)).toBe(notAllowed);
  });

  test("that the service denies is refused, a star standing for all below", () => {
    const options = { denyHosts: ["api.example.com", "*.internal.example.com"], allowHosts: ["api.example.com"] };
    for (const host of ["api.example.com", "API.example.com.", "a.internal.example.com", "a.b.internal.example.com"]) {
      expect([host, check(`https://${host}/`, options)]).toEqual([host, notAllowed]);
    }
    expect(check("https://internal.example.com/", options)).toBe("https://internal.example.com/");
    expect(check("https://xapi.example.com/", options)).toBe("https://xapi.example.com/");
  });
});

describe("a URL", () => {
  test.each([
    "http://a.com/",
    "ftp://a.com/",
    "file:///etc/passwd",
    "gopher://a.com/",
    "javascript:alert(1)",
    "data:,x",
    "wss://a.com/",
    "unix:/run/x.sock",
    "localhost:443",
  ])("of another scheme is refused: %s", (input) => {
    expect(check(input)).toBe(notHttps);
  });

  test.each([
    ["relative", "/hook"],
    ["without scheme", "//a.com/hook"],
    ["empty", ""],
    ["with a user", "https://user@a.com/"],
    ["with a password", "https://:secret@a.com/"],
    ["with a user that looks like a host", "https://a.com@10.0.0.1/"],
    ["with a fragment", "https://a.com/#x"],
    ["with an empty fragment", "https://a.com/#"],
    ["with outer spaces", " https://a.com/"],
    ["with a trailing no-break space", "https://a.com/\u00a0"],
    ["with a tab", "https://a\t.com/"],
    ["with a line feed", "https://a.com/\nx"],
    ["with a NUL", "https://a.com/\u0000"],
    ["with a C1 control", "https://a.com/\u0085"],
    ["too long", `https://a.com/${"x".repeat(2_035)}`],
    ["far too long", "x".repeat(5_000_000)],
  ])("%s is refused", (_what, input) => {
    expect(check(input)).toBe(notAllowed);
  });

  test("of 2,048 characters is taken", () => {
    const input = `https://a.com/${"x".repeat(2_034)}`;
    expect([input.length, check(input)]).toEqual([2_048, input]);
  });

  test.each([
    [undefined, 443, true],
    [undefined, 1_024, true],
    [undefined, 65_535, true],
    [undefined, 0, false],
    [undefined, 22, false],
    [undefined, 80, false],
    [undefined, 1_023, false],
    [[8_443], 443, true],
    [[8_443], 8_443, true],
    [[8_443], 8_444, false],
    [[80], 80, true],
    [[], 8_443, false],
  ])("where the list of ports is %j and the port %i: %s", (allowedPorts, port, isTaken) => {
    const expected = isTaken ? `https://a.com${port === 443 ? "" : `:${port}`}/` : notAllowed;
    expect(check(`https://a.com:${port}/`, { allowedPorts })).toBe(expected);
  });

  test("that is refused says where it stood and what is allowed", () => {
    try {
      checkWebhookUrl("https://a.com:22/", compileNetwork({ allowedPorts: [8_443] }));
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ status: 422, errors: [{ pointer: "/url", detail: "The port 22 is not allowed; allowed: 443, 8443." }] });
    }
  });

  test("is either refused or safe to store, whatever was sent", () => {
    const host = fc.oneof(
      fc.domain(),
      fc.ipV4(),
      fc.ipV6().map((address) => `[${address}]`),
      fc.string({ maxLength: 20 }),
      fc.constantFrom(...loopback),
    );
    const url = fc
      .tuple(fc.constantFrom("https://", "https:", "http://", "HTTPS:\\\\", ""), host, fc.string({ maxLength: 10 }))
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.oneof(url, fc.string({ unit: "binary" }), fc.webUrl()), (input) => {
        const stored = check(input);
        if (stored === notAllowed || stored === notHttps) return;
        expect(check(stored)).toBe(stored);
        expect(new URL(stored).hostname).toMatch(/^([a-z0-9-]{1,63}\.)+[a-z0-9-]{1,63}$/);
        expect(stored).toMatch(/^https:\/\/[^@#/]+\/[^#]*$/);
      }),
      { numRuns: propertyRuns(5_000), seed: 1 },
    );
  });
});
