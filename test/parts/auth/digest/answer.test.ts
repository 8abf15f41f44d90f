import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { digestHa1 } from "../../../../src/parts/auth/digest/algorithm.js";
import { expectedResponse, parseAnswer } from "../../../../src/parts/auth/digest/answer.js";
import { parseParameters } from "../../../../src/parts/auth/digest/parameters.js";
import { cpuMsSince } from "../../../tools/cpuMs.js";
import { propertyRuns } from "../../../tools/propertyRuns.js";

/** The examples of RFC 7616 §3.9.1 and RFC 2617 §3.5, as a client sends them. */
const rfc7616 = (algorithm: string, response: string) =>
  `username="Mufasa",
   realm="http-auth@example.org",
   uri="/dir/index.html",
   algorithm=${algorithm},
   nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
   nc=00000001,
   cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
   qop=auth,
   response="${response}",
   opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`.replaceAll("\n", "");

const rfc2617 = `username="Mufasa",
   realm="testrealm@host.com",
   nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093",
   uri="/dir/index.html",
   qop=auth,
   nc=00000001,
   cnonce="0a4f113b",
   response="6629fae49393a05397450978507c4ef1",
   opaque="5ccc069c403ebaf9f0171e9517f40e41"`.replaceAll("\n", "");

describe("an answer to a challenge", () => {
  test.each([
    ["RFC 7616, SHA-256", rfc7616("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"), "Circle of Life"],
    ["RFC 7616, MD5", rfc7616("MD5", "8ca523f5e9506fed4657c9700eebdbec"), "Circle of Life"],
    ["RFC 2617, without an algorithm", rfc2617, "Circle Of Life"],
  ])("is that of %s", (_, text, password) => {
    const answer = parseAnswer(text);
    if (answer === undefined) throw new Error("The answer was not understood.");
    const ha1 = digestHa1({ username: "Mufasa", realm: answer.realm, password }, answer.algorithm);
    expect(expectedResponse(answer, "GET", ha1)).toBe(answer.response);
    expect(expectedResponse(answer, "POST", ha1)).not.toBe(answer.response);
  });

  const valid = {
    username: `"alice"`,
    realm: `"api"`,
    nonce: `"n"`,
    uri: `"/users"`,
    cnonce: `"c"`,
    response: `"${"0".repeat(64)}"`,
    algorithm: "SHA-256",
    qop: "auth",
    nc: "00000001",
  };
  const parse = (parameters: Readonly<Record<string, string | undefined>>) =>
    parseAnswer(
      Object.entries(parameters)
        .flatMap(([name, value]) => (value === undefined ? [] : `${name}=${value}`))
        .join(","),
    );

  test.each([
    {},
    { qop: `"auth"`, algorithm: `"sha-256"` },
    { userhash: "false" },
    { nc: "0000000A" },
    { unknown: "1" },
    { algorithm: "MD5", response: "0".repeat(32) },
  ])("is understood with %j", (change) => {
    expect(parse({ ...valid, ...change })).toMatchObject({ username: "alice", uri: "/users" });
  });

  test.each([
    { qop: "auth-int" },
    { algorithm: "SHA-256-sess" },
    { algorithm: "SHA-512-256" },
    { algorithm: "constructor" },
    { algorithm: undefined },
    { userhash: "true" },
    { nc: "1" },
    { nc: "00000000" },
    { nc: "0000000g" },
    { nonce: `""` },
    { cnonce: `""` },
    { uri: `""` },
    { response: `"${"0".repeat(63)}"` },
    { response: `"${"A".repeat(64)}"` },
    { "username*": "UTF-8''alice" },
    { username: `"a\tb"` },
    { username: `"\xff"` },
    { username: undefined, "username*": "UTF-8''%FF" },
    { username: undefined, "username*": "UTF-8''%4" },
    { username: undefined, "username*": "ISO-8859-1''a" },
    { username: undefined, "username*": "UTF-8''a%00b" },
  ])("is refused with %j", (change) => {
    expect(parse({ ...valid, ...change })).toBeUndefined();
  });

  test.each(Object.keys(valid).filter((name) => name !== "algorithm"))("is refused without %s, and with two", (name) => {
    expect(parse({ ...valid, [name]: undefined })).toBeUndefined();
    expect(parse({ ...valid, [name.toUpperCase()]: valid[name as keyof typeof valid] })).toBeUndefined();
  });

  // The name of RFC 7616 §3.9.2.
  test.each([
    { "username*": "UTF-8''J%C3%A4s%C3%B8n%20Doe" },
    { "username*": "utf-8'en'J%c3%a4s%c3%b8n%20Doe" },
    { username: `"J\xc3\xa4s\xc3\xb8n Doe"` },
  ])("has a name in UTF-8: %j", (change) => {
    expect(parse({ ...valid, username: undefined, ...change })?.username).toBe("Jäsøn Doe");
  });
});

describe("a list of parameters", () => {
  test.each([
    ['a=1, b="2"', { a: "1", b: "2" }],
    [' ,\t, a = "x\\"y\\\\z" ,, B= c , ', { a: 'x"y\\z', b: "c" }],
    ['a=""', { a: "" }],
    ["", {}],
    [" ,, ", {}],
  ])("is read from %j", (text, expected) => {
    expect(Object.fromEntries(parseParameters(text) ?? [])).toEqual(expected);
  });

  test.each(["a", "a=", "=1", 'a="', 'a="\\"', 'a="1"b', 'a="1" b="2"', "a=1 b", "a=1,a=2", "a=1,A=2", "a==1", 'a=b"c"', "é=1"])(
    "is not %j",
    (text) => {
      expect(parseParameters(text)).toBeUndefined();
    },
  );

  test("has at most 32 parameters and 16 KiB", () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `p${index}=1`).join();
    expect([parseParameters(many(32))?.size, parseParameters(many(33))]).toEqual([32, undefined]);
    expect([parseParameters(`a=${"1".repeat(16_382)}`)?.size, parseParameters(`a=${"1".repeat(16_383)}`)]).toEqual([1, undefined]);
  });

  test("is read in a time that grows with its length", () => {
    const long = 16_000;
    const worst = [" ", ",", "a", "a ", '"', "\\", "a=", "a=b ", 'a="\\'].map((text) => text.repeat(long).slice(0, long));
    const started = process.cpuUsage();
    for (const text of worst.flatMap((text) => [text, `${text}!`, `a=1,${text}`, `a="${text}`, `a=b${text}x`])) parseParameters(text);
    expect(cpuMsSince(started)).toBeLessThan(500);
  });

  test("comes back as it was written", () => {
    const name = fc.stringMatching(/^[a-z*]{1,8}$/);
    const value = fc.string({ unit: fc.constantFrom("a", '"', "\\", ",", "=", " ", "é") });
    fc.assert(
      fc.property(fc.dictionary(name, value, { maxKeys: 32, noNullPrototype: true }), (parameters) => {
        const text = Object.entries(parameters).map(([key, given]) => `${key}="${given.replace(/["\\]/g, "\\$&")}"`);
        expect(Object.fromEntries(parseParameters(text.join(", ")) ?? [])).toEqual(parameters);
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });

  test("never throws, whatever the text says", () => {
    const piece = fc.constantFrom("username", "*", "=", '"', "\\", ",", " ", "\t", "auth", "UTF-8''", "%", "é", "00000001", "\n");
    const text = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join("")),
    );
    fc.assert(
      fc.property(text, (given) => void parseAnswer(given)),
      { numRuns: propertyRuns(1_000) },
    );
  });
});
