import { describe, expect, test } from "vitest";
import { memoryBlobs } from "../../../adapters/memory.js";
import { RequestHeaders } from "../../../src/ground/http/headers/headers.js";
import type { HttpResponse } from "../../../src/ground/http/message.js";
import { ProblemError } from "../../../src/ground/problem/index.js";
import type { BlobStore } from "../../../src/ground/storage/files/blobs.js";
import { answerBlob, type BlobQuestion } from "../../../src/parts/blobs/answerBlob.js";

const lastModified = "Sun, 06 Nov 1994 08:49:37 GMT";
const clock = { now: () => Date.parse(lastModified) + 500 };

interface Question extends Omit<Partial<BlobQuestion>, "headers"> {
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks for a blob of ten digits, known as "sum". */
async function ask({ headers = {}, ...rest }: Question = {}, change: Partial<BlobStore> = {}): Promise<HttpResponse | undefined> {
  const store = memoryBlobs({ clock });
  const writer = await store.open("digits", { contentType: "text/csv" });
  await writer.write(Buffer.from("0123456789"));
  await writer.commit();
  const question = { method: "GET", nowMs: clock.now(), etag: "sum", ...rest, headers: new RequestHeaders(Object.entries(headers).flat()) };
  return answerBlob({ ...store, ...change }, "digits", question);
}

function bytesOf(response: HttpResponse | undefined): AsyncIterable<Uint8Array> {
  return (response?.body ?? expect.fail("There is no body.")) as AsyncIterable<Uint8Array>;
}

async function textOf(response: HttpResponse | undefined): Promise<string> {
  let text = "";
  for await (const chunk of bytesOf(response)) text += Buffer.from(chunk).toString();
  return text;
}

const whole = {
  etag: '"sum"',
  "last-modified": lastModified,
  "accept-ranges": "bytes",
  "content-type": "text/csv",
  "content-disposition": "attachment",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  "content-length": "10",
};

test("a blob is answered whole, as something to be saved that no browser may run", async () => {
  const response = await ask();
  expect([response?.status, response?.headers]).toEqual([200, whole]);
  expect(await textOf(response)).toBe("0123456789");
});

test("a store whose clock is ahead changes nothing after the answer", async () => {
  const nowMs = clock.now() - 90_000;
  expect((await ask({ nowMs }))?.headers["last-modified"]).toBe("Sun, 06 Nov 1994 08:48:07 GMT");
});

test("a blob that there is not is left to whoever asks, with any condition", async () => {
  const store = memoryBlobs();
  expect(await answerBlob(store, "none", { method: "GET", nowMs: 0, headers: new RequestHeaders(["If-Match", "*"]) })).toBeUndefined();
  const writer = await store.open("begun");
  expect(await answerBlob(store, "begun", { method: "GET", nowMs: 0, headers: new RequestHeaders([]) })).toBeUndefined();
  await writer.abort();
});

test("a blob that goes before it is read is none", async () => {
  expect(await ask({}, { read: async () => undefined })).toBeUndefined();
});

test("the tag of the store is taken where there is no other", async () => {
  const [one, other] = [await ask({ etag: undefined }), await ask({ etag: undefined })];
  expect(one?.headers["etag"]).toMatch(/^"[\w-]{22}"$/);
  expect(one?.headers["etag"]).not.toBe(other?.headers["etag"]);
});

describe("HEAD", () => {
  const unread = {
    read: async () => {
      throw new Error("It was opened.");
    },
  };

  test("has the headers of GET, and opens nothing", async () => {
    expect(await ask({ method: "HEAD" }, unread)).toEqual({ status: 200, headers: whole, body: null });
  });

  test("knows no ranges", async () => {
    expect(await ask({ method: "HEAD", headers: { range: "bytes=0-1" } }, unread)).toEqual({ status: 200, headers: whole, body: null });
    expect((await ask({ method: "HEAD", headers: { range: "bytes=99-" } }, unread))?.status).toBe(200);
  });

  test("is judged by conditions", async () => {
    expect((await ask({ method: "HEAD", headers: { "if-none-match": '"sum"' } }, unread))?.status).toBe(304);
  });
});

describe("Range", () => {
  test.each([
    ["bytes=0-3", "0123", "bytes 0-3/10"],
    ["bytes=4-", "456789", "bytes 4-9/10"],
    ["bytes=-2", "89", "bytes 8-9/10"],
    ["bytes=8-100", "89", "bytes 8-9/10"],
    ["bytes=0-9", "0123456789", "bytes 0-9/10"],
  ])("%s is 206 with %s", async (range, text, contentRange) => {
    const response = await ask({ headers: { range } });
    expect(response?.status).toBe(206);
    expect(response?.headers).toEqual({ ...whole, "content-range": contentRange, "content-length": String(text.length) });
    expect(await textOf(response)).toBe(text);
  });

  test.each(["bytes=0-1,3-4", "rows=0-1", "bytes=4-3", "nonsense"])("%s is 200 with the whole", async (range) => {
    const response = await ask({ headers: { range } });
    expect([response?.status, response?.headers]).toEqual([200, whole]);
    expect(await textOf(response)).toBe("0123456789");
  });

  test.each(["bytes=10-", "bytes=-0"])("%s is 416, with the length and the tag", async (range) => {
    const error = await ask({ headers: { range } }).catch((error) => error);
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({
      code: "RANGE_NOT_SATISFIABLE",
      status: 416,
      message: 'The header "range" asks for bytes after the end of the file; it has 10 bytes.',
      headers: { "content-range": "bytes */10", "accept-ranges": "bytes", etag: '"sum"' },
    });
  });

  test.each([
    ['"sum"', 206],
    ['"other"', 200],
    ['W/"sum"', 200],
    [lastModified, 206],
    ["Sun, 06 Nov 1994 08:49:38 GMT", 200],
  ])("with If-Range: %s is %d", async (value, status) => {
    expect((await ask({ headers: { range: "bytes=0-1", "if-range": value } }))?.status).toBe(status);
  });

  test("that cannot be satisfied is not looked at where If-Range does not hold", async () => {
    expect((await ask({ headers: { range: "bytes=99-", "if-range": '"other"' } }))?.status).toBe(200);
  });
});

describe("conditions", () => {
  test.each([
    [{ "if-none-match": '"sum"' }],
    [{ "if-none-match": 'W/"sum"' }],
    [{ "if-none-match": "*" }],
    [{ "if-modified-since": lastModified }],
    [{ "if-none-match": '"sum"', range: "bytes=99-" }],
  ])("%o is 304 with the validators", async (headers) => {
    const response = await ask({ headers });
    expect(response).toEqual({ status: 304, headers: { etag: '"sum"', "last-modified": lastModified, "accept-ranges": "bytes" }, body: null });
  });

  test.each([
    [{ "if-match": '"other"' }],
    [{ "if-unmodified-since": "Sun, 06 Nov 1994 08:49:36 GMT" }],
    [{ "if-match": '"other"', range: "bytes=99-" }],
  ])("%o is 412 with the tag", async (headers) => {
    await expect(ask({ headers })).rejects.toMatchObject({ code: "PRECONDITION_FAILED", status: 412, headers: { etag: '"sum"' } });
  });

  test.each([[{ "if-match": '"sum"' }], [{ "if-none-match": '"other"' }], [{ "if-unmodified-since": lastModified }]])(
    "%o is 200",
    async (headers) => {
      expect((await ask({ headers }))?.status).toBe(200);
    },
  );
});

describe("how it is shown", () => {
  test.each([
    ["image/png", "image/png", "inline"],
    ["IMAGE/JPEG", "IMAGE/JPEG", "inline"],
    ["video/mp4", "video/mp4", "inline"],
    ["audio/mpeg", "audio/mpeg", "inline"],
    ["text/plain", "text/plain; charset=utf-8", "inline"],
    ["text/plain; charset=latin1", "text/plain; charset=latin1", "inline"],
    ["image/svg+xml", "image/svg+xml", "attachment"],
    ["text/html", "text/html", "attachment"],
    ["application/pdf", "application/pdf", "attachment"],
    ["text/plain, text/html", "application/octet-stream", "attachment"],
    ["nonsense", "application/octet-stream", "attachment"],
    ["text/plain; a=\r\nx: y", "application/octet-stream", "attachment"],
    ["text/plain; a=日", "application/octet-stream", "attachment"],
  ])("%j is sent as %s, %s where that was asked for", async (contentType, sent, disposition) => {
    const { headers = {} } = (await ask({ contentType, disposition: "inline", filename: "file" })) ?? {};
    expect([headers["content-type"], headers["content-disposition"]]).toEqual([sent, `${disposition}; filename="file"`]);
  });

  test("nothing is shown unless that was asked for", async () => {
    expect((await ask({ contentType: "image/png" }))?.headers["content-disposition"]).toBe("attachment");
  });
});

describe("bytes that are not as many as was said", () => {
  const reading = (chunks: readonly string[]) => ({
    read: async () =>
      (async function* () {
        for (const chunk of chunks) yield Buffer.from(chunk);
      })(),
  });

  test.each([
    [["0123", "4"], "The blob has 5 bytes; 10 were announced."],
    [[], "The blob has 0 bytes; 10 were announced."],
    [["0123456789", "x"], "The blob has more bytes; 10 were announced."],
  ])("%o end in an error", async (chunks, message) => {
    await expect(textOf(await ask({}, reading(chunks)))).rejects.toThrow(message);
  });

  test("an answer that is not read to its end ends the reading below", async () => {
    let ended = 0;
    const read = async () => ({
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false as const, value: Buffer.from("0") }),
        return: async () => {
          ended += 1;
          return { done: true as const, value: undefined };
        },
      }),
    });
    const [begun, unread] = [await ask({}, { read }), await ask({}, { read })];
    for await (const _ of bytesOf(begun)) break;
    await bytesOf(unread)[Symbol.asyncIterator]().return?.();
    expect(ended).toBe(2);
  });
});
