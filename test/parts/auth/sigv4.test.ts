import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ConfigurationError } from "../../../src/ground/problem/index.js";
import { type SigV4Options, sigv4 } from "../../../src/parts/auth/index.js";
import { failure } from "../../../src/parts/auth/verifier.js";
import { propertyRuns } from "../../tools/propertyRuns.js";
import { sentRequest, type WireRequest } from "./sentRequest.js";
import { presignedRequest, type Signing, sha256, signedAt, signedRequest } from "./signedRequest.js";
import { accepted, accessKeys, refused, verify } from "./sigv4Stage.js";

/** The request with another Authorization. */
function authorizedBy(wire: WireRequest, change: (authorization: string) => string): WireRequest {
  const index = wire.headers.indexOf("authorization") + 1;
  return { ...wire, headers: wire.headers.with(index, change(wire.headers[index] ?? "")) };
}

describe("a request without a signature", () => {
  test("is left to other verifiers", async () => {
    const host = ["host", "shop.example"];
    expect(await verify({ method: "GET", target: "/users", headers: host })).toBeNull();
    expect(await verify({ method: "GET", target: "/users", headers: [...host, "authorization", "Bearer AWS4-HMAC-SHA256"] })).toBeNull();
    expect(await verify({ method: "GET", target: "/users?a=%zz&X-Amz-Date=1", headers: host })).toBeNull();
  });
});

describe("a signature in Authorization", () => {
  test.each<[string, Signing]>([
    ["a query in any order", { target: "/users?b=2&a=1&a=0&c&=d&&e=f=g" }],
    ["a space as plus and as %20", { target: "/users?q=a+b%20c" }],
    ["an encoded path", { target: "/users/a%20b%2Fc%C3%A9:@!'()*" }],
    ["a path with slashes and dots", { target: "//users/./7/../8/" }],
    ["headers with UTF-8", { headers: { "x-name": Buffer.from("Zoë\u00a0Ltd  x").toString("latin1") } }],
    ["an empty header", { headers: { "x-empty": "" } }],
    ["a body", { method: "POST", body: '{"a":1}' }],
    ["the hash of a body", { method: "POST", body: '{"a":1}', headers: { "x-amz-content-sha256": sha256('{"a":1}') } }],
    ["a token", { accessKeyId: "ASIA", headers: { "x-amz-security-token": "token/1+=" } }],
  ])("covers %s", async (_what, signing) => {
    await accepted(signedRequest(signing));
  });

  test("may have its members in any order, without spaces, and its scheme in any case", async () => {
    const wire = signedRequest();
    await accepted(authorizedBy(wire, (text) => text.replaceAll(", ", ",")));
    await accepted(authorizedBy(wire, (text) => text.replace(/ (Credential\S+), (SignedHeaders\S+), (\S+)$/, " $3 ,  $2, $1")));
    await accepted(authorizedBy(wire, (text) => text.replace("AWS4-HMAC-SHA256", "aws4-hmac-sha256")));
  });

  test.each<[string, (authorization: string) => string]>([
    ["nothing more", () => "AWS4-HMAC-SHA256"],
    ["no signature", (text) => text.replace(/, Signature.*/, "")],
    ["a second signature", (text) => text.replace(/, (Signature=\S+)/, ", $1, $1")],
    ["another member", (text) => `${text}, Realm=x`],
    ["a signature in upper case", (text) => text.replace(/Signature=(\w+)/, (_all, hex: string) => `Signature=${hex.toUpperCase()}`)],
    ["a short signature", (text) => text.slice(0, -1)],
    ["a long signature", (text) => `${text}0`],
    ["a name in upper case", (text) => text.replace("host;", "Host;")],
    ["names out of order", (text) => text.replace("host;x-amz-date", "x-amz-date;host")],
    ["a repeated name", (text) => text.replace("host;", "host;host;")],
    ["an empty name", (text) => text.replace("host;", "host;;")],
    ["no access key", (text) => text.replace("AKID/", "/")],
    ["a credential without a scope", (text) => text.replace(/(AKID)[^,]*/, "$1")],
    ["a longer scope", (text) => text.replace("/aws4_request", "/aws4_request/x")],
    ["a very long access key", (text) => text.replace("AKID", "A".repeat(100_000))],
    ["very many names", (text) => text.replace("host;", "host;".repeat(100_000))],
    ["very many commas", (text) => text + ",".repeat(1_000_000)],
  ])("is refused with %s", async (_what, change) => {
    await refused(authorizedBy(signedRequest(), change));
  });

  test.each<[string, Signing]>([
    ["another secret", { secretAccessKey: "Secret" }],
    ["an unknown access key", { accessKeyId: "AKIX" }],
    ["an unknown access key and an empty secret", { accessKeyId: "AKIX", secretAccessKey: "" }],
    ["another region", { region: "locam" }],
    ["another service", { service: "shoq" }],
    ["an unsigned host", { signed: ["x-amz-date"] }],
    ["an unsigned date", { signed: ["host"] }],
    ...["X-HTTP-Method-Override", "X-Tenant-ID", "X-API-Version", "Idempotency-Key", "If-Match", "If-None-Match", "If-Unmodified-Since"].map(
      (name): [string, Signing] => [`an unsigned ${name}`, { method: "PUT", headers: { [name.toLowerCase()]: "x" }, signed: ["host", "x-amz-date"] }],
    ),
    ["an unsigned If-Match of a GET", { headers: { "if-match": '"x"' }, signed: ["host", "x-amz-date"] }],
    ["another unsigned x-amz header", { headers: { "x-amz-meta": "1" }, signed: ["host", "x-amz-date"] }],
    ["a header that was not sent", { signed: ["host", "x-amz-date", "x-other"] }],
    ["a token that is not needed", { headers: { "x-amz-security-token": "token/1+=" } }],
    ["no token", { accessKeyId: "ASIA" }],
    ["another token", { accessKeyId: "ASIA", headers: { "x-amz-security-token": "token/2+=" } }],
    ["a hash that is none", { headers: { "x-amz-content-sha256": "e3b0" } }],
    ["an unsigned payload", { headers: { "x-amz-content-sha256": "UNSIGNED-PAYLOAD" } }],
    ["an unsigned payload that it does not name", { payloadHash: "UNSIGNED-PAYLOAD" }],
  ])("is refused with %s", async (_what, signing) => {
    await refused(signedRequest(signing));
  });

  test("may leave unsigned what caches add to a GET, and the developer's headers if they are not named", async () => {
    const signed = ["host", "x-amz-date"];
    await accepted(signedRequest({ headers: { "if-none-match": '"x"', "if-modified-since": "x", "if-range": '"x"' }, signed }));
    const wire = signedRequest({ headers: { "x-shop": "7" }, signed });
    await accepted(wire);
    await refused(wire, { signedHeaders: ["X-Shop"] });
    await accepted(signedRequest({ headers: { "x-shop": "7" } }), { signedHeaders: ["X-Shop"] });
  });

  test("is refused if a signed header is sent once more", async () => {
    for (const name of ["host", "X-Amz-Date"]) {
      const wire = signedRequest();
      const value = wire.headers[wire.headers.indexOf(name.toLowerCase()) + 1] ?? "";
      await refused({ ...wire, headers: [...wire.headers, name, value] });
    }
  });

  test("covers the host of HTTP/2, and not two hosts", async () => {
    const { headers, ...wire } = signedRequest();
    const ofHttp2 = headers.map((text) => (text === "host" ? ":authority" : text));
    await accepted({ ...wire, headers: ofHttp2 });
    await refused({ ...wire, headers: [...ofHttp2, "host", "shop.example"] });
  });

  test("may leave the body unsigned only if the option allows it", async () => {
    const wire = signedRequest({ method: "POST", body: "x", headers: { "x-amz-content-sha256": "UNSIGNED-PAYLOAD" } });
    await accepted(wire, { allowUnsignedPayload: true });
    await accepted({ ...wire, body: "y" }, { allowUnsignedPayload: true });
    await refused(wire, { allowUnsignedPayload: false });
  });

  test("of a body in signed chunks is refused with a reason, but only for those who know the secret", async () => {
    const chunked = { headers: { "x-amz-content-sha256": "STREAMING-AWS4-HMAC-SHA256-PAYLOAD" } };
    await expect(verify(signedRequest(chunked))).rejects.toMatchObject({ code: "UNSUPPORTED_MEDIA_TYPE", status: 415 });
    await refused(signedRequest({ ...chunked, secretAccessKey: "x" }));
  });
});

describe("the date of a signature", () => {
  const minutes = 60_000;

  test.each([-15 * minutes, 0, 15 * minutes])("is accepted %i ms from now, and not one more", async (ms) => {
    const wire = signedRequest();
    await accepted(wire, { nowMs: signedAt + ms });
    if (ms !== 0) await refused(wire, { nowMs: signedAt + ms + Math.sign(ms) });
  });

  test("is compared within the option", async () => {
    await accepted(signedRequest(), { nowMs: signedAt + 5_000, clockSkewMs: 5_000 });
    await refused(signedRequest(), { nowMs: signedAt + 5_001, clockSkewMs: 5_000 });
  });

  test("may be in Date if that is signed", async () => {
    const date = "Thu, 01 Jan 2026 00:00:00 GMT";
    const { headers, ...wire } = signedRequest({ headers: { date }, signed: ["date", "host"] });
    const withoutOther = headers.filter((_, index) => ![2, 3].includes(index));
    expect(withoutOther).not.toContain("x-amz-date");
    await accepted({ ...wire, headers: withoutOther });
    await refused({ ...wire, headers: withoutOther.map((text) => (text === date ? "Fri, 01 Jan 2026 00:00:00 GMT" : text)) });
    const unsigned = signedRequest({ headers: { date }, signed: ["host"] });
    await refused({ ...unsigned, headers: unsigned.headers.filter((_, index) => ![2, 3].includes(index)) });
  });

  test.each([
    "",
    "20260101",
    "20260101T000000",
    "20260101T000000z",
    "2026-01-01T00:00:00Z",
    "20260101T000060Z",
    "20251301T000000Z",
    "20260000T000000Z",
  ])("is refused as %j", async (timestamp) => {
    await refused(signedRequest({ timestamp }), { clockSkewMs: 86_400_000 });
  });

  test("must be that of the scope", async () => {
    await refused(authorizedBy(signedRequest(), (text) => text.replace("/20260101/", "/20260102/")));
  });
});

describe("the look-up of access keys", () => {
  test("may be asynchronous, and its faults are those of the service", async () => {
    await accepted(signedRequest(), { secret: async (id) => accessKeys.get(id) });
    await refused(signedRequest(), { secret: async () => null });
    await expect(verify(signedRequest(), { secret: () => Promise.reject(new Error("no connection")) })).rejects.toThrow("no connection");
  });

  test("is not asked for what cannot be valid", async () => {
    const asked: string[] = [];
    const secret = (id: string) => void asked.push(id);
    await refused(signedRequest({ region: "x" }), { secret });
    await refused(signedRequest(), { secret, nowMs: signedAt + 900_001 });
    await refused(signedRequest({ accessKeyId: "A B" }), { secret });
    await refused(signedRequest(), { secret });
    expect(asked).toEqual(["AKID"]);
  });
});

test("the challenge names the service and the region", () => {
  const verifier = sigv4({ secret: () => null, service: "shop", region: "local" });
  expect(verifier.scheme).toBe("AWS4-HMAC-SHA256");
  expect(verifier.challenge(sentRequest(signedRequest()).request)).toBe('AWS4-HMAC-SHA256 service="shop", region="local"');
});

test.each<[unknown, string]>([
  [{ service: "shop", region: "local" }, "secret"],
  [{ secret: () => null, region: "local" }, "service"],
  [{ secret: () => null, service: "shop" }, "region"],
  [{ secret: () => null, service: "a/b", region: "local" }, "service"],
  [{ secret: () => null, service: "shop", region: "a b" }, "region"],
  [{ secret: () => null, service: "shop", region: "local", clockSkewMs: -1 }, "clockSkewMs"],
  [{ secret: () => null, service: "shop", region: "local", maxExpiresSeconds: 604_801 }, "maxExpiresSeconds"],
  [{ secret: () => null, service: "shop", region: "local", maxExpiresSeconds: 0 }, "maxExpiresSeconds"],
  [{ secret: () => null, service: "shop", region: "local", clock: {} }, "clock"],
  [{ secret: () => null, service: "shop", region: "local", clockSkew: 1 }, "clockSkew"],
])("the options %j are refused at start-up", (options, name) => {
  expect(() => sigv4(options as SigV4Options)).toThrow(ConfigurationError);
  expect(() => sigv4(options as SigV4Options)).toThrow(name);
});

describe("whatever a client sends", () => {
  const part = fc.constantFrom(
    "Credential=",
    "SignedHeaders=",
    "Signature=",
    "AKID/20260101/local/shop/aws4_request",
    "host;x-amz-date",
    ",",
    " ",
    "=",
    ";",
    "/",
  );
  const text = fc
    .array(fc.oneof(part, fc.string({ maxLength: 8 }), fc.stringMatching(/^[0-9a-f]{64}$/)), { maxLength: 12 })
    .map((parts) => parts.join(""));
  const parameter = fc.tuple(
    fc.constantFrom("X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders", "X-Amz-Signature", "a", "%"),
    fc.oneof(text, fc.constantFrom("AWS4-HMAC-SHA256", "20260101T000000Z", "60", "host", "%C3", "%zz")),
  );

  test("nothing throws, and nothing is accepted without the secret", async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.array(parameter, { maxLength: 8 }), fc.boolean(), async (authorization, parameters, hasHeader) => {
        const query = parameters.map((pair) => pair.join("=")).join("&");
        const headers = ["host", "shop.example", "x-amz-date", "20260101T000000Z"];
        const signature = hasHeader ? ["authorization", `AWS4-HMAC-SHA256 ${authorization}`] : [];
        const verdict = await verify({ method: "GET", target: `/users?${query.replaceAll("#", "")}`, headers: [...headers, ...signature] });
        expect([failure, null]).toContain(verdict);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  test("what a client signs is accepted, for every path, query, header and body", async () => {
    const segment = fc
      .string({ unit: "binary", maxLength: 8 })
      .filter((each) => each.isWellFormed())
      .map(encodeURIComponent);
    const property = fc.asyncProperty(
      fc.array(fc.oneof(segment, fc.constantFrom(".", "..", "")), { maxLength: 5 }),
      fc.array(fc.tuple(segment, segment), { maxLength: 4 }),
      fc.stringMatching(/^[!-~]( {0,3}[!-~]){0,12}$/),
      fc.string(),
      async (path, query, value, body) => {
        const target = `/${path.join("/")}?${query.map((pair) => pair.join("=")).join("&")}`;
        await accepted(signedRequest({ method: "POST", target, headers: { "x-value": value }, body }));
        await accepted(presignedRequest({ method: "POST", target, body }));
      },
    );
    await fc.assert(property, { numRuns: propertyRuns(200) });
  });
});
