import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { HttpResponse } from "../../src/http/message.js";
import { withoutCoding } from "../../src/idempotency/contentCoding.js";
import { decodeResponse, encodeResponse, maximumBodyBytes } from "../../src/idempotency/storedResponse.js";

const replayOf = (response: HttpResponse, scopes?: readonly string[]) => decodeResponse(encodeResponse(response, scopes));
const marks = { "idempotent-replayed": "true", "cache-control": "no-store" };

describe("a stored response", () => {
  it("comes back byte for byte", () => {
    const body = fc.oneof(
      fc.constant(null),
      fc.string({ unit: "grapheme" }),
      fc.uint8Array({ maxLength: 2_000 }),
      fc.uint8Array({ minLength: 20_000, maxLength: 20_100 }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 599 }), body, (status, sent) => {
        const { response } = replayOf({ status, headers: {}, body: sent });
        expect(response.status).toBe(status);
        if (sent instanceof Uint8Array) expect(Buffer.from(response.body as Uint8Array).equals(Buffer.from(sent))).toBe(true);
        else expect(response.body).toBe(sent);
      }),
      { numRuns: 60 },
    );
  });

  it("comes back whole when it stands inside a larger buffer, as drivers hand it over", () => {
    const stored = Buffer.from(encodeResponse({ status: 200, headers: {}, body: "line\nline" }, undefined));
    const within = Buffer.concat([Buffer.from("xx\n"), stored, Buffer.from("yy")]).subarray(3, 3 + stored.length);
    expect(decodeResponse(within).response.body).toBe("line\nline");
  });

  it("is smaller than a large text", () => {
    expect(encodeResponse({ status: 200, headers: {}, body: "a".repeat(100_000) }, undefined).length).toBeLessThan(1_000);
  });

  it("keeps the headers but those of the exchange", () => {
    const kept = { "content-type": "a/b", etag: '"1"', location: "/x", link: ["<a>", "<b>"], "x-own": "1", "content-disposition": "inline" };
    const dropped = Object.fromEntries(
      [
        "date",
        "Set-Cookie",
        "content-length",
        "vary",
        "x-request-id",
        "connection",
        "keep-alive",
        "transfer-encoding",
        "access-control-allow-origin",
        "ratelimit",
        "RateLimit-Policy",
        "x-ratelimit-limit",
        "cache-control",
      ].map((name) => [name, "1"]),
    );
    expect(replayOf({ status: 200, headers: { ...kept, ...dropped }, body: null }).response.headers).toEqual({ ...kept, ...marks });
  });

  it("keeps the scopes", () => {
    expect(replayOf({ status: 200, headers: {}, body: null }, ["read", "write"]).scopes).toEqual(["read", "write"]);
    expect(replayOf({ status: 200, headers: {}, body: null }).scopes).toBeUndefined();
  });

  it.each<[string, HttpResponse["body"]]>([
    ["bytes of the largest size", new Uint8Array(maximumBodyBytes)],
    ["text of the largest size", "a".repeat(maximumBodyBytes)],
  ])("keeps %s", (_, body) => {
    expect((replayOf({ status: 200, headers: {}, body }).response.body as string).length).toBe(maximumBodyBytes);
  });

  it.each<[string, HttpResponse["body"], string | undefined]>([
    ["a larger one", new Uint8Array(maximumBodyBytes + 1), undefined],
    ["a larger text", "ä".repeat(maximumBodyBytes / 2 + 1), undefined],
    ["a stream", (async function* () {})(), undefined],
    ["one in an unknown coding", "a", "zstd"],
    ["one in two codings", "a", "gzip, br"],
    ["one that is not in its coding", "a", "gzip"],
    ["one that grows beyond the largest size", gzipSync(Buffer.alloc(maximumBodyBytes + 1)), "gzip"],
  ])("keeps status and headers of %s", (_, body, coding) => {
    const headers = { "x-own": "1", ...(coding === undefined ? {} : { "content-encoding": coding }) };
    expect(replayOf({ status: 201, headers, body }).response).toEqual({ status: 201, headers: { "x-own": "1", ...marks }, body: null });
  });
});

describe("withoutCoding", () => {
  const text = Buffer.from("Grüße");

  it.each<[string, Uint8Array]>([
    ["gzip", gzipSync(text)],
    ["X-GZip", gzipSync(text)],
    [" deflate ", deflateSync(text)],
    ["br", brotliCompressSync(text)],
    ["identity", text],
    ["", text],
  ])("takes off %j", (coding, sent) => {
    expect(Buffer.from(withoutCoding(sent, coding, 100) ?? []).toString()).toBe("Grüße");
  });

  it("leaves nothing as nothing", () => {
    expect(withoutCoding(new Uint8Array(0), "gzip", 100)).toEqual(new Uint8Array(0));
  });
});
