import { type Capability, createService, defineResource, type HttpResponse, type Operation } from "restwright";
import { bearer } from "restwright/auth";
import { type Coding, type CompressionOptions, compression, supportedCodings } from "restwright/compression";
import { cors } from "restwright/cors";
import { memoryStorage } from "restwright/memory";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { readPieces, requestOf, type Sent } from "../../tools/client.js";
import { decoded } from "./decoded.js";

const notes = defineResource("notes", { schema: z.object({ id: z.int(), text: z.string() }), generated: { id: "increment" } });
const text = "The quick brown fox jumps over the lazy dog. ".repeat(40);

/** Answers that a resource does not give. */
const answers: Record<string, () => HttpResponse> = {};

function open(name: string, extra: Partial<Operation> = {}): Operation {
  const run = () => Promise.resolve(answers[name]?.() ?? { status: 204, headers: {}, body: null });
  return { name: `raw.${name}`, method: "GET", run, ...extra };
}

const raw: Capability = {
  name: "raw",
  paths: { raw: "answers of tests", secret: "an answer with a secret" },
  open: () => ({
    routes: [
      { segments: ["raw"], operations: [open("raw")] },
      { segments: ["secret"], operations: [open("secret", { sealAnswers: (store) => store })] },
    ],
  }),
};

function stage(options?: CompressionOptions, more: readonly Capability[] = []) {
  const service = createService({ resources: [notes], storage: memoryStorage(), use: [compression(options), raw, ...more], notFound: "problem" });
  return async (sent: Sent) => {
    const response = await service.handle(requestOf(sent));
    if (response === undefined) throw new Error("No answer.");
    const bytes = typeof response.body === "string" ? Buffer.from(response.body) : await readPieces(response.body);
    const coding = supportedCodings.find((each) => each === response.headers["content-encoding"]);
    return {
      status: response.status,
      headers: response.headers,
      bytes,
      coding,
      text: (coding && bytes.length > 0 ? decoded(bytes, coding) : bytes).toString(),
    };
  };
}

type Send = ReturnType<typeof stage>;

async function withNote(send: Send, words = text) {
  const { headers } = await send({ method: "POST", target: "/notes", body: { text: words } });
  return { etag: String(headers["etag"]) };
}

const asks = (acceptEncoding: string, headers: Record<string, string> = {}) => ({ "accept-encoding": acceptEncoding, ...headers });
let send: Send;
beforeEach(() => {
  send = stage();
});

describe("choosing", () => {
  const cases: readonly [string | undefined, Coding | undefined][] = [
    [undefined, undefined],
    ["", undefined],
    ["identity", undefined],
    ["gzip", "gzip"],
    ["x-gzip", "gzip"],
    ["GZIP", "gzip"],
    ["gzip, deflate, br", "br"],
    ["gzip, br;q=0.5", "gzip"],
    ["gzip;q=0, br;q=0", undefined],
    ["deflate", undefined],
    ["*", "br"],
    ["*;q=0", undefined],
    ["identity;q=0", undefined],
    ["gzip;q=0.2, identity", undefined],
    [`${" ".repeat(2_100)}gzip`, undefined],
  ];
  test.each(cases)("Accept-Encoding %j → %s", async (acceptEncoding, expected) => {
    await withNote(send);
    const answer = await send({ target: "/notes/1", headers: acceptEncoding === undefined ? {} : asks(acceptEncoding) });
    expect([answer.status, answer.coding]).toEqual([200, expected]);
    expect(JSON.parse(answer.text)).toMatchObject({ text });
    expect(answer.headers["vary"]).toBe("Accept-Encoding");
    expect(answer.headers["content-length"]).toBe(String(answer.bytes.length));
  });

  test.each(supportedCodings)("%s decodes to the same bytes, at every size", async (coding) => {
    for (const size of [1_024, 65_000, 65_537, 900_000]) {
      answers["raw"] = () => ({ status: 200, headers: { "content-type": "text/plain" }, body: "é".repeat(size / 2) });
      const { text: got, coding: used } = await send({ target: "/raw", headers: asks(coding) });
      expect([used, got === "é".repeat(size / 2)]).toEqual([coding, true]);
    }
  });

  test("the order of the developer decides among equals", async () => {
    send = stage({ codings: ["gzip", "br"] });
    await withNote(send);
    expect((await send({ target: "/notes/1", headers: asks("br, gzip") })).coding).toBe("gzip");
  });
});

describe("which answers", () => {
  const json = { "content-type": "application/json" };
  const plain = (answer: HttpResponse): HttpResponse => ({ ...answer, headers: { ...answer.headers } });
  const cases: readonly [string, () => HttpResponse, { coded: boolean; varies: boolean }][] = [
    ["JSON", () => ({ status: 200, headers: json, body: text }), { coded: true, varies: true }],
    ["problem+json", () => ({ status: 404, headers: { "content-type": "application/problem+json" }, body: text }), { coded: true, varies: true }],
    [
      "a vendor's JSON",
      () => ({ status: 200, headers: { "content-type": "application/vnd.a.v1+json; x=1" }, body: text }),
      { coded: true, varies: true },
    ],
    ["SVG", () => ({ status: 200, headers: { "content-type": "image/svg+xml" }, body: text }), { coded: true, varies: true }],
    ["XML", () => ({ status: 200, headers: { "content-type": "application/xml;charset=utf-8" }, body: text }), { coded: true, varies: true }],
    ["CSV", () => ({ status: 200, headers: { "content-type": "text/csv; charset=utf-8" }, body: text }), { coded: true, varies: true }],
    ["bytes", () => ({ status: 200, headers: json, body: Buffer.from(text) }), { coded: true, varies: true }],
    ["less than 1 KiB", () => ({ status: 200, headers: json, body: text.slice(0, 1_023) }), { coded: false, varies: false }],
    ["1 KiB", () => ({ status: 200, headers: json, body: text.slice(0, 1_024) }), { coded: true, varies: true }],
    ["an image", () => ({ status: 200, headers: { "content-type": "image/png" }, body: text }), { coded: false, varies: false }],
    [
      "a name that begins alike",
      () => ({ status: 200, headers: { "content-type": "application/jsonp" }, body: text }),
      { coded: false, varies: false },
    ],
    ["no type", () => ({ status: 200, headers: {}, body: text }), { coded: false, varies: false }],
    ["events", () => ({ status: 200, headers: { "content-type": "text/event-stream" }, body: text }), { coded: false, varies: false }],
    ["a coding", () => ({ status: 200, headers: { ...json, "content-encoding": "deflate" }, body: text }), { coded: false, varies: false }],
    [
      "no-transform",
      () => ({ status: 200, headers: { ...json, "cache-control": "public, no-transform" }, body: text }),
      { coded: false, varies: false },
    ],
    ["a digest", () => ({ status: 200, headers: { ...json, "repr-digest": "sha-256=:x:" }, body: text }), { coded: false, varies: false }],
    ["a part", () => ({ status: 206, headers: { ...json, "content-range": "bytes 0-9/2000" }, body: text }), { coded: false, varies: true }],
    [
      "an image with a tag, which can be 304",
      () => ({ status: 200, headers: { "content-type": "image/png", etag: '"a"' }, body: text }),
      { coded: false, varies: true },
    ],
    ["less than 1 KiB with a tag", () => ({ status: 200, headers: { ...json, etag: '"a"' }, body: "{}" }), { coded: false, varies: true }],
    ["no content", () => ({ status: 204, headers: {}, body: null }), { coded: false, varies: false }],
    ["not modified", () => ({ status: 304, headers: { etag: '"a"' }, body: null }), { coded: false, varies: true }],
  ];
  test.each(cases)("%s", async (_name, answer, { coded, varies }) => {
    answers["raw"] = () => plain(answer());
    const { headers, coding } = await send({ target: "/raw", headers: asks("gzip") });
    expect({ coded: coding === "gzip", varies: headers["vary"] === "Accept-Encoding" }).toEqual({ coded, varies });
  });

  test("the types of the developer replace the usual ones, but events of a stream are never held back", async () => {
    send = stage({ types: ["text/*", "application/*+json", "application/x.y"], minBytes: 0 });
    const coded: string[] = [];
    for (const type of [
      "text/csv",
      "text/event-stream",
      "application/json",
      "application/a+json",
      "application/x.y",
      "application/xzy",
      "application/x.y; a=b",
    ]) {
      answers["raw"] = () => ({ status: 200, headers: { "content-type": type }, body: "a" });
      if ((await send({ target: "/raw", headers: asks("gzip") })).coding) coded.push(type);
    }
    expect(coded).toEqual(["text/csv", "application/a+json", "application/x.y", "application/x.y; a=b"]);
  });

  test("a request with Range gets the bytes as they are", async () => {
    answers["raw"] = () => ({ status: 200, headers: { ...json, "accept-ranges": "bytes" }, body: text });
    const { coding, headers } = await send({ target: "/raw", headers: asks("gzip", { range: "bytes=0-9" }) });
    expect([coding, headers["vary"], headers["accept-ranges"]]).toEqual([undefined, "Accept-Encoding", "bytes"]);
    expect((await send({ target: "/raw", headers: asks("gzip") })).headers["accept-ranges"]).toBeUndefined();
  });

  test("an answer with a secret stays as it is", async () => {
    const answer = () => ({ status: 200, headers: { ...json, "cache-control": "no-store" }, body: text });
    answers["secret"] = answer;
    answers["raw"] = answer;
    expect((await send({ target: "/secret", headers: asks("gzip") })).coding).toBeUndefined();
    expect((await send({ target: "/raw", headers: asks("gzip") })).coding).toBe("gzip");
  });

  test("HEAD has the headers of GET, without the length", async () => {
    await withNote(send);
    const [get, head] = [
      await send({ target: "/notes/1", headers: asks("gzip") }),
      await send({ method: "HEAD", target: "/notes/1", headers: asks("gzip") }),
    ];
    const { "content-length": _length, "x-request-id": _id, ...same } = get.headers;
    const { "x-request-id": _other, ...got } = head.headers;
    expect([got, head.bytes.length]).toEqual([same, 0]);
    const plain = await send({ method: "HEAD", target: "/notes/1" });
    expect([plain.headers["content-length"], plain.headers["vary"]]).toEqual([String(get.text.length), "Accept-Encoding"]);
  });

  test("Vary keeps the names of others", async () => {
    const service = createService({
      resources: [notes],
      storage: memoryStorage(),
      auth: [bearer(() => ({ id: "a" }))],
      use: [compression({ minBytes: 0 }), cors({ origins: ["https://a.example"] })],
    });
    const { headers } = (await service.handle(requestOf({ target: "/notes", headers: asks("gzip", { authorization: "Bearer a" }) }))) ?? {};
    expect(headers?.["vary"]).toBe("Authorization, Origin, Accept-Encoding");
  });
});

describe("entity tags", () => {
  test("a coded answer has a tag of its own, and both tags can be validated", async () => {
    const { etag } = await withNote(send);
    const { headers } = await send({ target: "/notes/1", headers: asks("gzip") });
    const tag = `${etag.slice(0, -1)}.gzip"`;
    expect(headers["etag"]).toBe(tag);
    const again = (acceptEncoding: string, held: string) => send({ target: "/notes/1", headers: asks(acceptEncoding, { "if-none-match": held }) });
    const outcomes: [string, string, number, string][] = [
      ["gzip", tag, 304, tag],
      ["gzip", etag, 304, etag],
      ["identity", etag, 304, etag],
      // A cache that asks for a client without gzip must not pass the coded answer on.
      ["identity", tag, 200, etag],
      ["br", tag, 200, tag.replace("gzip", "br")],
      ["br, gzip", tag, 304, tag],
      ["br, gzip", `"x", ${tag}, ${etag}`, 304, tag],
      ["gzip", `W/${tag}`, 304, tag],
      ["gzip", '"x.gzip"', 200, tag],
      ["gzip", "*", 304, etag],
    ];
    for (const [accept, held, status, answered] of outcomes) {
      const answer = await again(accept, held);
      expect([accept, held, answer.status, answer.headers["etag"]]).toEqual([accept, held, status, answered]);
    }
    expect((await again("gzip", '"x.gzip')).status).toBe(400);
  });

  test("the view stays between the version and the coding", async () => {
    const { etag } = await withNote(send);
    const plain = await send({ target: "/notes/1?fields=text" });
    const { headers } = await send({ target: "/notes/1?fields=text", headers: asks("br") });
    expect(headers["etag"]).toBe(`${String(plain.headers["etag"]).slice(0, -1)}.br"`);
    expect(String(headers["etag"]).startsWith(etag.slice(0, -1))).toBe(true);
    const whole = await send({ target: "/notes/1", headers: asks("br", { "if-none-match": String(headers["etag"]) }) });
    expect(whole.status).toBe(200);
  });

  test("weak tags of lists stay weak", async () => {
    await withNote(send);
    const plain = await send({ target: "/notes" });
    const { headers } = await send({ target: "/notes", headers: asks("br") });
    expect(headers["etag"]).toBe(`${String(plain.headers["etag"]).slice(0, -1)}.br"`);
    expect(headers["etag"]).toMatch(/^W\//);
    const held = await send({ target: "/notes", headers: asks("br", { "if-none-match": String(headers["etag"]) }) });
    expect([held.status, held.headers["etag"]]).toEqual([304, headers["etag"]]);
  });

  test("a coded tag fits If-Match of every write", async () => {
    await withNote(send);
    const current = async () => String((await send({ target: "/notes/1", headers: asks("gzip") })).headers["etag"]);
    const first = await current();
    const put = await send({ method: "PUT", target: "/notes/1", headers: asks("gzip", { "if-match": first }), body: { text: `${text}2` } });
    expect([put.status, put.headers["etag"]]).toEqual([200, await current()]);
    const merge = { "if-match": await current(), "content-type": "application/merge-patch+json" };
    expect((await send({ method: "PATCH", target: "/notes/1", headers: merge, body: { text } })).status).toBe(200);
    expect((await send({ method: "DELETE", target: "/notes/1", headers: { "if-match": first } })).status).toBe(412);
    expect((await send({ method: "DELETE", target: "/notes/1", headers: { "if-match": await current() } })).status).toBe(204);
  });
});

const impossible: readonly [object, string][] = [
  [{ codings: [] }, "codings"],
  [{ codings: ["deflate"] }, "codings"],
  [{ codings: ["br", "br"] }, "twice"],
  [{ levels: { gzip: 0 } }, "gzip"],
  [{ levels: { br: 12 } }, "br"],
  [{ level: 4 }, "levels"],
  [{ types: ["json"] }, "media type"],
  [{ minBytes: -1 }, "minBytes"],
];
const missing = (["zstd"] as const)
  .filter((coding) => !supportedCodings.includes(coding))
  .map((coding): [object, string] => [{ codings: [coding] }, "does not have"]);

test.each([...impossible, ...missing])("%j is an error at start-up", (options, words) => {
  expect(() => compression(options as CompressionOptions)).toThrow(words);
});
