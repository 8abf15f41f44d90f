import { randomBytes } from "node:crypto";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { HttpResponse } from "../../../src/ground/http/message.js";
import { withoutCoding } from "../../../src/parts/idempotency/contentCoding.js";
import { decodeResponse, encodeResponse, maxBodyBytes } from "../../../src/parts/idempotency/storedResponse.js";

const replayOf = async (response: HttpResponse, scopes?: readonly string[]) => decodeResponse(await encodeResponse(response, { scopes }));
const marks = { "idempotent-replayed": "true", "cache-control": "no-store" };

describe("a stored response", () => {
  it("comes back byte for byte", async () => {
    const body = fc.oneof(
      fc.constant(null),
      fc.string({ unit: "grapheme" }),
      fc.uint8Array({ maxLength: 2_000 }),
      fc.uint8Array({ minLength: 20_000, maxLength: 20_100 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 200, max: 599 }), body, async (status, sent) => {
        const { response } = await replayOf({ status, headers: {}, body: sent });
        expect(response.status).toBe(status);
        if (sent instanceof Uint8Array) expect(Buffer.from(response.body as Uint8Array).equals(Buffer.from(sent))).toBe(true);
        else expect(response.body).toBe(sent);
      }),
      { numRuns: 60 },
    );
  });

  it("comes back whole when it stands inside a larger buffer, as drivers hand it over", async () => {
    const stored = Buffer.from(await encodeResponse({ status: 200, headers: {}, body: "line\nline" }, {}));
    const within = Buffer.concat([Buffer.from("xx\n"), stored, Buffer.from("yy")]).subarray(3, 3 + stored.length);
    expect((await decodeResponse(within)).response.body).toBe("line\nline");
  });

  it("is smaller than a large text", async () => {
    expect((await encodeResponse({ status: 200, headers: {}, body: "a".repeat(100_000) }, {})).length).toBeLessThan(1_000);
  });

  it("keeps the headers but those of the exchange", async () => {
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
    expect((await replayOf({ status: 200, headers: { ...kept, ...dropped }, body: null })).response.headers).toEqual({ ...kept, ...marks });
  });

  it("keeps the scopes", async () => {
    expect((await replayOf({ status: 200, headers: {}, body: null }, ["read", "write"])).scopes).toEqual(["read", "write"]);
    expect((await replayOf({ status: 200, headers: {}, body: null })).scopes).toBeUndefined();
  });

  it.each<[string, HttpResponse["body"]]>([
    ["bytes of the largest size", new Uint8Array(maxBodyBytes)],
    ["text of the largest size", "a".repeat(maxBodyBytes)],
  ])("keeps %s", async (_, body) => {
    expect(((await replayOf({ status: 200, headers: {}, body })).response.body as string).length).toBe(maxBodyBytes);
  });

  it.each<[string, HttpResponse["body"], string | undefined]>([
    ["a larger one", new Uint8Array(maxBodyBytes + 1), undefined],
    ["a larger text", "ä".repeat(maxBodyBytes / 2 + 1), undefined],
    ["a stream", (async function* () {})(), undefined],
    ["one in an unknown coding", "a", "zstd"],
    ["one in two codings", "a", "gzip, br"],
    ["one that is not in its coding", "a", "gzip"],
    ["one that grows beyond the largest size", gzipSync(Buffer.alloc(maxBodyBytes + 1)), "gzip"],
  ])("keeps status and headers of %s", async (_, body, coding) => {
    const headers = { "x-own": "1", ...(coding === undefined ? {} : { "content-encoding": coding }) };
    expect((await replayOf({ status: 201, headers, body })).response).toEqual({ status: 201, headers: { "x-own": "1", ...marks }, body: null });
  });
});

describe("a stored response without room", () => {
  const bodyOf = async (roomBytes: number, body: string) =>
    (await decodeResponse(await encodeResponse({ status: 201, headers: {}, body }, {}, (bytes) => bytes <= roomBytes))).response.body;

  it("is kept as status and headers, by what its body takes as it is kept", async () => {
    const noise = randomBytes(30_000).toString("base64");
    expect([await bodyOf(5, "small"), await bodyOf(4, "small"), await bodyOf(0, "")]).toEqual(["small", null, ""]);
    expect([await bodyOf(500, "a".repeat(100_000)), await bodyOf(20_000, noise)]).toEqual(["a".repeat(100_000), null]);
  });

  it("is compressed beside the event loop", async () => {
    const body = randomBytes(3_500_000).toString("hex");
    let turns = 0;
    const count = setInterval(() => (turns += 1), 1);
    await encodeResponse({ status: 200, headers: {}, body }, {});
    clearInterval(count);
    expect(turns).toBeGreaterThan(5);
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
  ])("takes off %j", async (coding, sent) => {
    expect(Buffer.from((await withoutCoding(sent, coding, 100)) ?? []).toString()).toBe("Grüße");
  });

  it("leaves nothing as nothing", async () => {
    expect(await withoutCoding(new Uint8Array(0), "gzip", 100)).toEqual(new Uint8Array(0));
  });
});
