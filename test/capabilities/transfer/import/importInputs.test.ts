import { gzipSync } from "node:zlib";
import type { BlobStore, RequestBody, Service } from "restwright";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { keysOf } from "../../../adapters/stores/blobs/blobContents.js";
import { requestOf } from "../../../tools/client.js";
import { Endless, repeat } from "../formats/files.js";
import { csv, type ImportSide, importService, importSide, json, ndjson, type SentFile } from "./importStage.js";

type Options = Parameters<typeof importService>[1];

function open(options: Options = {}) {
  const storage = memoryStorage();
  const blobs = memoryBlobs();
  const service = importService(storage, { blobs, ...options });
  onTestFinished(() => service.close({ graceMs: 0 }));
  return { service, blobs, ...importSide(service, storage) };
}

/** The same file to both paths: nothing is left of one that is refused. */
async function refused(side: ImportSide & { blobs: BlobStore }, query: string, file: SentFile) {
  const [now, later] = [await side.now(query, file), await side.submit(query, file)];
  expect(await keysOf(side.blobs)).toEqual([]);
  expect([later.status, later.json.code]).toEqual([now.status, now.json.code]);
  if (now.json.code !== "IMPORT_TOO_LARGE") expect(later.json.detail).toBe(now.json.detail);
  return now;
}

const good = "email,name\nada@x.test,Ada\n";
const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le");
const gzip = { "content-encoding": "gzip" };

describe("a file is refused before anything is kept of it", () => {
  test.each<[string, SentFile, string, number, string, RegExp, Options?]>([
    ["nothing at all", csv(""), "", 400, "EMPTY_FILE", /empty/],
    ["only a byte-order mark", csv("\uFEFF"), "", 400, "EMPTY_FILE", /empty/],
    ["only blank lines", csv("\r\n\n\r"), "", 400, "EMPTY_FILE", /empty/],
    ["an empty gzip", csv(gzipSync(""), gzip), "", 400, "EMPTY_FILE", /empty/],
    ["NDJSON of blank lines", ndjson("", " ", ""), "", 400, "EMPTY_FILE", /no rows/],
    ["JSON of blanks", json(" \n"), "", 400, "EMPTY_FILE", /empty/],
    ["another media type", { type: "text/plain", body: good }, "", 415, "UNSUPPORTED_MEDIA_TYPE", /text\/csv/],
    ["another charset", csv(good, { "content-type": "text/csv; charset=latin1" }), "", 415, "UNSUPPORTED_MEDIA_TYPE", /latin1/],
    ["another coding", csv(good, { "content-encoding": "br" }), "", 415, "UNSUPPORTED_MEDIA_TYPE", /gzip/],
    ["a gzip of CSV that nothing says", csv(gzipSync(good)), "", 422, "INVALID_ENCODING", /^Line 1, after 0 bytes: the file is compressed with gzip/],
    [
      "a gzip of NDJSON",
      { type: "application/x-ndjson", body: gzipSync('{"email":"ada@x.test"}\n') },
      "",
      422,
      "INVALID_ENCODING",
      /"Content-Encoding: gzip", or uncompressed/,
    ],
    ["a gzip of JSON", { type: "application/json", body: gzipSync("[]") }, "", 422, "INVALID_ENCODING", /compressed with gzip/],
    ["a gzip in a gzip", csv(gzipSync(gzipSync(good)), gzip), "", 422, "INVALID_ENCODING", /compressed with gzip/],
    ["half a gzip", csv(gzipSync(good).subarray(0, -8), gzip), "", 422, "INVALID_COMPRESSION", /incomplete/],
    ["a damaged gzip", csv(damaged(gzipSync(good.repeat(50))), gzip), "", 422, "INVALID_COMPRESSION", /damaged/],
    ["a wrong byte in the header", csv(Buffer.from("em\xe4il\n", "latin1")), "", 422, "INVALID_ENCODING", /^Line 1, after 2 bytes/],
    ["a wrong byte in the last row", csv(Buffer.from(`${good}b\xff`, "latin1")), "", 422, "INVALID_ENCODING", /^Line 3, after 27 bytes/],
    ["half a character at the end", csv(Buffer.from("email,name\nx,é").subarray(0, -1)), "", 422, "INVALID_ENCODING", /^Line 2/],
    ["half a surrogate pair", csv(Buffer.concat([utf16(good), Buffer.from([0x00, 0xd8])])), "", 422, "INVALID_ENCODING", /UTF-16/],
    [
      "UTF-16 without a mark",
      csv(utf16(good).subarray(2), { "content-type": "text/csv; charset=utf-16" }),
      "",
      422,
      "INVALID_ENCODING",
      /byte-order mark/,
    ],
    ["a mark of another encoding", csv(utf16(good), { "content-type": "text/csv; charset=utf-16be" }), "", 422, "INVALID_ENCODING", /utf-16le/],
    ["a wrong header", csv("email,nam,id\n"), "", 422, "UNKNOWN_COLUMN", /3 problems/],
    ["a header with a column twice", csv("email,name,Email\n"), "", 422, "REPEATED_COLUMN", /"email" and "Email"/],
    ["a header without names", csv("email,name,\n"), "", 422, "UNKNOWN_COLUMN", /Column 3 has no name/],
    ["a header with __proto__", csv("email,name,__proto__\n"), "", 422, "UNKNOWN_COLUMN", /__proto__/],
    ["a header with an open quote", csv('email,"name\n'), "", 422, "QUOTE_NOT_CLOSED", /^Header, line 1: column 2/],
    ["a header with a quote in a name", csv('email,na"me"\n'), "", 422, "BAD_QUOTE", /^Header, line 1: column 2/],
    ["a header of too many columns", csv(`email,name,${"x,".repeat(1_000)}`), "", 422, "UNKNOWN_COLUMN", /1003 columns; at most 1000 are allowed/],
    ["a header that is too long", csv(`email,"${"x".repeat(1_100_000)}`), "", 422, "ROW_TOO_LARGE", /^Header, line 1: .+ 1000000 bytes/],
    ["a field that may not be written", csv("email,name,salary\n"), "", 403, "FORBIDDEN_FIELD", /"salary"/],
    ["a field that is hidden", csv("email,name,pin\n"), "", 422, "UNKNOWN_COLUMN", /^Unknown column "pin"/],
    ["JSON that is no array", json({ email: "x" }), "", 400, "MALFORMED_JSON", /not a JSON array/],
    ["JSON that is none", json('[{"email":"x"},,]'), "", 400, "MALFORMED_JSON", /line 1, column 16/],
    ["JSON of brackets that do not end", json("[".repeat(100)), "", 400, "MALFORMED_JSON", /too early at line 1, column 101/],
    ["an unknown parameter", csv(good), "dryrun=true", 400, "UNKNOWN_FIELD", /"dryRun"/],
    ["a key that is none", csv(good), "mode=upsert&key=name", 400, "INVALID_VALUE", /id or badge or email; got "name"/],
    ["a key that is hidden", csv(good), "mode=update&key=pin", 400, "INVALID_VALUE", /id or badge or email; got "pin"/],
    ["a column to map that is not there", csv(good), "map[Mail]=email", 422, "MISSING_COLUMN", /"Mail"/],
    [
      "a file that is too large",
      csv(good.repeat(10)),
      "",
      413,
      "IMPORT_TOO_LARGE",
      /100 bytes/,
      { limits: { importBytes: 100, importNowBytes: 100 } },
    ],
    [
      "a gzip of nothing but letters",
      csv(gzipSync(`${good}${"x".repeat(500_000)}`), gzip),
      "",
      413,
      "IMPORT_TOO_LARGE",
      /10000 bytes/,
      { limits: { importBytes: 10_000, importNowBytes: 10_000 } },
    ],
    [
      "an array that is too large",
      json([{ email: "x".repeat(200) }]),
      "",
      413,
      "IMPORT_TOO_LARGE",
      /JSON Lines/,
      { limits: { importArrayBytes: 100 } },
    ],
    [
      "all or none of too many rows",
      csv(`${good}bob@x.test,Bob\n`),
      "onError=stop",
      413,
      "IMPORT_TOO_LARGE",
      /./,
      { limits: { importStopRows: 1, importNowRows: 1 } },
    ],
  ])("%s", async (_, file, query, status, code, detail, options) => {
    const answer = await refused(open(options), query, file);
    expect([answer.status, answer.json.code, answer.json.detail]).toEqual([status, code, expect.stringMatching(detail)]);
  });

  test("with the collection that it is for missing, unknown, or closed to files", async () => {
    const { send } = open();
    const submit = (query: string) => send({ method: "POST", target: `/imports?${query}`, body: good, headers: { "content-type": "text/csv" } });
    const missing = await submit("");
    expect([missing.status, missing.json.detail]).toEqual([400, `"collection" must name a collection that accepts imports; it is missing.`]);
    expect((await submit("collection=peopel")).json.errors).toMatchObject([
      { parameter: "collection", allowed: ["people", "teams", "nodes"], hint: 'did you mean "people"' },
    ]);
    expect(
      (await send({ method: "POST", target: "/jobs/import?collection=people", body: good, headers: { "content-type": "text/csv" } })).status,
    ).toBe(202);
    expect((await send({ target: "/people/import" })).status).toBe(405);
  });

  test("without its end having been waited for, where its header is wrong", async () => {
    for (const path of ["/people/import", "/imports"]) {
      const source = new Endless(repeat("email,nam\n", "x,y\n".repeat(10_000)));
      const { service, blobs } = open();
      const answer = await post(service, path, source);
      expect(answer).toMatchObject({ status: 422 });
      expect([source.isClosed, source.bytes < 200_000, await keysOf(blobs)]).toEqual([true, true, []]);
    }
  });

  test("where any of its bytes is no UTF-8, which is told with its line", async () => {
    const side = open();
    for (let at = 0; at < good.length; at++) {
      const body = Buffer.from(good);
      body[at] = 0xff;
      const { status, json: problem } = await side.submit("", csv(body));
      expect([status, problem.code, problem.line, problem.byte]).toEqual([422, "INVALID_ENCODING", at < 11 ? 1 : 2, at]);
    }
    expect(await keysOf(side.blobs)).toEqual([]);
  });

  test("where it is no gzip, though it says so", async () => {
    for (const path of ["/people/import", "/imports"]) {
      const { service, blobs } = open();
      const response = await post(service, path, bytewise(good), gzip);
      expect([response?.status, JSON.parse(String(response?.body)).code, await keysOf(blobs)]).toEqual([422, "INVALID_COMPRESSION", []]);
    }
  });

  test("where there is nowhere to put it", async () => {
    for (const [options, code] of [
      [{ blobs: undefined }, "TRANSFER_UNSUPPORTED"],
      [{ jobs: false as const }, "JOBS_UNSUPPORTED"],
    ] as const) {
      const side = open(options);
      const { status, json: problem } = await side.submit("", csv(good));
      expect([status, problem.code]).toEqual([501, code]);
      const now = await side.now("", csv(good, { prefer: "respond-async" }));
      expect([now.status, now.json.result.created, now.headers["preference-applied"]]).toEqual([200, 1, undefined]);
    }
  });
});

const post = (service: Service, path: string, stream: AsyncIterable<Uint8Array>, headers: Readonly<Record<string, string>> = {}) =>
  service.handle({
    ...requestOf({
      method: "POST",
      target: `${path}${path === "/imports" ? "?collection=people" : ""}`,
      headers: { "content-type": "text/csv", authorization: "Bearer t/ada", ...headers },
    }),
    body: { kind: "stream", stream },
  });

function damaged(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy.fill(0xff, 20, 24);
  return copy;
}

describe("a large file at once", () => {
  test.each<[string, Options, SentFile]>([
    ["bytes", { limits: { importNowBytes: 20 } }, csv(good)],
    ["bytes of what it expands to", { limits: { importNowBytes: 100 } }, csv(gzipSync(good.repeat(100)), gzip)],
    ["rows", { limits: { importNowRows: 1 } }, csv(`${good}bob@x.test,Bob\n`)],
  ])("is 413 for its %s, and says where to send it instead", async (_, options, file) => {
    const side = open({ ...options, baseUrl: "https://api.test/v1" });
    const { status, json: problem, headers } = await side.now("", file);
    expect([status, problem.code, problem.imports]).toEqual([413, "IMPORT_TOO_LARGE", "https://api.test/v1/imports?collection=people"]);
    expect(headers["link"]).toBe('<https://api.test/v1/imports?collection=people>; rel="alternate"');
    expect(problem.detail).toContain("respond-async");
    expect(await side.rows()).toEqual([]);
    const later = await side.now("unknownColumns=ignore", { ...file, headers: { ...file.headers, prefer: "respond-async" } });
    expect([later.status, later.headers["preference-applied"], later.headers["vary"]]).toEqual([
      202,
      "respond-async",
      expect.stringContaining("Prefer"),
    ]);
  });
});

describe("a file is read", () => {
  test.each<[string, SentFile]>([
    ["in gzip", csv(gzipSync(good), gzip)],
    ["in gzip of several parts", csv(Buffer.concat([gzipSync(good.slice(0, 15)), gzipSync(good.slice(15))]), { "content-encoding": "GZIP" })],
    ["in UTF-16", csv(utf16(good))],
    ["in UTF-16 that its charset says", csv(utf16(good).subarray(2), { "content-type": "text/csv; charset=UTF-16LE" })],
    ["with a byte-order mark", csv(`\uFEFF${good}`)],
    ["with a quoted header behind a mark", csv(`\uFEFF"email","name"\rada@x.test,Ada\r`)],
    ["with blank lines in front", csv(`\r\n\n${good}`)],
    ["as application/csv", { type: "application/csv; header=present", body: good }],
    ["as JSON Lines", { type: "application/jsonl", body: '{"email":"ada@x.test","name":"Ada"}\r\n\r\n' }],
    ["as NDJSON in UTF-16", { type: "application/x-ndjson", body: utf16('{"email":"ada@x.test","name":"Ada"}') }],
  ])("%s", async (_, file) => {
    const side = open();
    const outcomes = [await side.outcomeNow("", file), await side.outcomeLater("mode=upsert&key=email", file)];
    expect(outcomes.map(({ counts }) => counts)).toEqual([
      [1, 0, 0, 0],
      [0, 1, 0, 0],
    ]);
  });

  test.each<[string, RequestBody, Readonly<Record<string, string>>]>([
    ["as parsed JSON", { kind: "parsed", value: [{ email: "ada@x.test", name: "Ada" }] }, { "content-type": "application/json" }],
    [
      "as parsed JSON that was gzip",
      { kind: "parsed", value: [{ email: "ada@x.test", name: "Ada" }] },
      { "content-type": "application/json", ...gzip },
    ],
    ["as a parsed line", { kind: "parsed", value: { email: "ada@x.test", name: "Ada" } }, { "content-type": "application/x-ndjson" }],
    ["as bytes", { kind: "bytes", bytes: Buffer.from(good) }, { "content-type": "text/csv" }],
    ["as bytes that were gzip", { kind: "bytes", bytes: Buffer.from(good) }, { "content-type": "text/csv", ...gzip }],
    ["as bytes that are gzip", { kind: "bytes", bytes: gzipSync(good) }, { "content-type": "text/csv", ...gzip }],
    ["byte by byte", { kind: "stream", stream: bytewise(good) }, { "content-type": "text/csv" }],
    ["byte by byte in gzip", { kind: "stream", stream: bytewise(gzipSync(good)) }, { "content-type": "text/csv", ...gzip }],
  ])("however a host hands it over: %s", async (_, body, headers) => {
    const { service } = open();
    const response = await service.handle({
      ...requestOf({ method: "POST", target: "/people/import", headers: { ...headers, authorization: "Bearer t/ada" } }),
      body,
    });
    expect(JSON.parse(String(response?.body)).result).toEqual({ created: 1, updated: 0, skipped: 0, failed: 0 });
  });
});

async function* bytewise(file: string | Uint8Array): AsyncGenerator<Uint8Array> {
  for (const byte of Buffer.from(file)) yield Buffer.from([byte]);
}

describe("a file that ends an import under way keeps what stands before", () => {
  test.each<[string, string, string, number, RegExp, number]>([
    ["an open quote", `${good}bob@x.test,"Bob\nx,y\n`, "QUOTE_NOT_CLOSED", 2, /^Row 2, line 3: column 2/, 1],
    ["a quote in a cell", `${good}bob@x.test,B"ob\nx,y\n`, "BAD_QUOTE", 2, /^Row 2, line 3: column 2/, 1],
    [
      "a row that is too long",
      `${good}bob@x.test,Bob\n"${"x\n".repeat(600_000)}`,
      "ROW_TOO_LARGE",
      3,
      /^Row 3, line 4: .+ A quote in line 4 is not closed/,
      2,
    ],
  ])("%s", async (_, body, code, row, detail, created) => {
    const side = open();
    const job = await side.ended(await side.submit("", csv(body)));
    expect([job.status, job.error, job.document["result"]]).toMatchObject([
      "failed",
      { code, row, detail: expect.stringMatching(detail) },
      { created, failed: 0 },
    ]);
    expect(await side.rows()).toHaveLength(created);
    const other = open();
    const now = await other.now("", csv(body));
    expect([now.status, now.json.code, now.json.row, now.json.detail]).toEqual([422, code, row, expect.stringMatching(detail)]);
    // At once it is one transaction.
    expect(await other.rows()).toEqual([]);
  });

  test("but a line of NDJSON that is too long is only itself left out", async () => {
    const side = open();
    const file = ndjson(`{"email":"${"x".repeat(1_100_000)}"}`, { email: "ada@x.test", name: "Ada" });
    for (const outcome of [await side.outcomeNow("", file), await side.outcomeLater("mode=update&key=email", file)]) {
      expect(outcome.errors).toEqual([[1, 1, "ROW_TOO_LARGE"]]);
    }
  });
});

describe("a client that", () => {
  async function* stalling(parts: number): AsyncGenerator<Uint8Array> {
    yield Buffer.from("email,name\n");
    for (let part = 0; part < parts; part++) yield Buffer.from(`p${part}@x.test,P\n`);
    await new Promise(() => {});
  }

  test("sends no more is 408, and leaves no file behind", async () => {
    const clock = new FakeClock();
    const { service, blobs } = open({ clock, timers: clock });
    await service.start();
    for (const path of ["/people/import", "/imports"]) {
      const answer = post(service, path, stalling(10));
      for (let tries = 0; tries < 20; tries++) await new Promise(setImmediate);
      clock.advance(31_000);
      const response = await answer;
      expect([response?.status, response?.headers["connection"]]).toEqual([408, "close"]);
      expect(await keysOf(blobs)).toEqual([]);
    }
  });

  test("goes away leaves no file behind, and no rows", async () => {
    const { service, blobs, rows } = open();
    async function* leaving(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(good);
      throw new Error("ECONNRESET");
    }
    for (const path of ["/people/import", "/imports"]) expect((await post(service, path, leaving()))?.status).toBe(408);
    expect([await keysOf(blobs), await rows()]).toEqual([[], []]);
  });

  test("sends a cell without an end is answered when that is too long", async () => {
    for (const path of ["/people/import", "/imports"]) {
      const { service, blobs } = open({ limits: { importNowBytes: 2_000_000, importBytes: 100_000_000 } });
      const source = new Endless(repeat('"', "x".repeat(65_536)));
      expect((await post(service, path, source))?.status).toBe(422);
      expect([source.bytes < 1_300_000, source.isClosed, await keysOf(blobs)]).toEqual([true, true, []]);
    }
  });
});
