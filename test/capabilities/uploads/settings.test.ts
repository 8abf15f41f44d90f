import { ConfigurationError, createService } from "restwright";
import { macroCheck, metadataCheck, pdfCheck, pixelCheck, svgCheck, typeCheck, zipCheck } from "restwright/checks";
import { clamdCheck } from "restwright/clamd";
import { diskBlobs } from "restwright/disk";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { redisUploads } from "restwright/redis";
import { s3Blobs } from "restwright/s3";
import { parseMultipart, presigner, receiveForm, uploads } from "restwright/uploads";
import { describe, expect, test } from "vitest";
import { clientOf } from "../../tools/client.js";
import { fullService } from "../../tools/fullService.js";

/** Calls as a program in JavaScript may, which no compiler has looked at. */
const call = (made: (...values: never[]) => unknown, ...values: readonly unknown[]): unknown => Reflect.apply(made, undefined, values);

const serviceWith = (options: unknown, { blobs, ...others }: { readonly blobs: unknown } & object = { blobs: memoryBlobs() }) => {
  const given = typeof options === "object" ? { blobs, ...options } : options;
  return call(createService, { resources: [], storage: memoryStorage(), use: [call(uploads, given)], ...others });
};

const withoutDrafts = { ...memoryBlobs(), name: "mine", drafts: undefined };
const withoutUploads = { ...memoryStorage(), name: "mine", uploads: undefined };

describe("a service that cannot take uploads is not made, and says why", () => {
  test.each<[string, { readonly blobs: unknown; readonly storage?: unknown }]>([
    ['"blobs" must be a BlobStore, such as diskBlobs({ path: "data/blobs" }); got undefined', { blobs: undefined }],
    ['"blobs" must be a BlobStore, such as diskBlobs({ path: "data/blobs" }); got a function', { blobs: diskBlobs }],
    ['"blobs" must be a BlobStore, such as diskBlobs({ path: "data/blobs" }); got "data/blobs"', { blobs: "data/blobs" }],
    ['The blob store "mine" keeps no drafts, which uploads in pieces need', { blobs: withoutDrafts }],
    ['The storage "mine" keeps no records of uploads; give uploads() a "store"', { blobs: memoryBlobs(), storage: withoutUploads }],
  ])("%s", (message, others) => {
    expect(() => serviceWith({ types: "any" }, others)).toThrow(message);
    expect(() => serviceWith({ types: "any" }, others)).toThrow(ConfigurationError);
  });

  test.each<[string, unknown]>([
    ["uploads must be an object with options; got true.", true],
    ['uploads: "types" must be an array of texts, such as ["image/png"], or "any"; got undefined.', {}],
    ['uploads: "types" must be an array of texts, such as ["image/png"], or "any"; got "image/png".', { types: "image/png" }],
    ['"uploads.types" names "image/*", which is not recognised by its bytes. Name each type: image/png, image/jpeg', { types: ["image/*"] }],
    ['uploads has no option "maxSize"; there are: blobs, types, checks,', { types: "any", maxSize: 5 }],
    ['uploads: "checks" must be an array, such as [zipCheck()]; got an object.', { types: "any", checks: zipCheck() }],
    [
      'uploads: "checks[1]" must be a check, with "name", "needs" and "run" (call it: pdfCheck()); got a function.',
      { types: "any", checks: [zipCheck(), pdfCheck] },
    ],
    ['uploads: "maxBytes" must be a whole number of at least 0; got "5GB".', { types: "any", maxBytes: "5GB" }],
    ['uploads: "maxBytes" must be a whole number of at least 0; got -1.', { types: "any", maxBytes: -1 }],
    ['uploads: "quotaBytes" must be a number of at least 0, or a function; got "1GB".', { types: "any", quotaBytes: "1GB" }],
    ['uploads: "quotaBytes" must be a number of at least 0, or a function; got NaN.', { types: "any", quotaBytes: Number.NaN }],
    ['uploads: "maxOpen" must be a whole number of at least 1; got 0.', { types: "any", maxOpen: 0 }],
    ['uploads: "maxOpen" must be a whole number of at least 1; got NaN.', { types: "any", maxOpen: Number.NaN }],
    ['uploads: "expiresMs" must be a whole number of at least 1000; got "1d".', { types: "any", expiresMs: "1d" }],
    ['uploads: "checkMs" must be a whole number of at least 1; got 0.', { types: "any", checkMs: 0 }],
    ['uploads: "presignSeconds" must be a whole number from 1 to 604800; got 604801.', { types: "any", presignSeconds: 604_801 }],
    ['uploads: "visibility" must be "private" or "public"; got "pubic".', { types: "any", visibility: "pubic" }],
    ['uploads: "allowTerminateFinished" must be true or false; got "no".', { types: "any", allowTerminateFinished: "no" }],
    ['uploads: "isAdmin" must be a function; got true.', { types: "any", isAdmin: true }],
    ['uploads: "onReady" must be a function; got an object.', { types: "any", onReady: {} }],
    ['uploads: "store" must be an UploadStore, such as redisUploads(client); got an object.', { types: "any", store: {} }],
    ['uploads: "forms" must be an object with forms by their names; got an array.', { types: "any", forms: ["avatars"] }],
    ['uploads: "forms.avatars" must be an object with options; got null.', { types: "any", forms: { avatars: null } }],
  ])("%s", (message, options) => {
    expect(() => serviceWith(options)).toThrow(message);
    expect(() => serviceWith(options)).toThrow(ConfigurationError);
  });

  test.each<[string, object]>([
    ['uploads: "forms.avatars.types" must be an array of texts', { types: undefined }],
    ['uploads: "forms.avatars" has no option "maxBytes"', { maxBytes: 5 }],
    ['uploads: "forms.avatars.visibility" must be "private" or "public"; got "everyone".', { visibility: "everyone" }],
    ['uploads: "forms.avatars.requiredFiles" must be an array of texts; got "photo".', { requiredFiles: "photo" }],
    ['uploads: "forms.avatars.files" must be an array of texts, or "any"; got "photo".', { files: "photo" }],
    ['"uploads.forms.avatars.requiredFiles" names "photo", which is not among "files": picture.', { files: ["picture"], requiredFiles: ["photo"] }],
    ['uploads: "forms.avatars.limits" has no option "fileSize"; there are: requestBytes, fileBytes,', { limits: { fileSize: 5 } }],
    ['uploads: "forms.avatars.limits.fileBytes" must be a whole number of at least 0; got "5mb".', { limits: { fileBytes: "5mb" } }],
  ])("%s", (message, form) => {
    const options = { types: "any", forms: { avatars: { types: "any", ...form } } };
    expect(() => serviceWith(options)).toThrow(message);
    expect(() => serviceWith(options)).toThrow(ConfigurationError);
  });
});

describe("what cannot work is not made", () => {
  const keys = { accessKeyId: "a", secretAccessKey: "b" };
  const s3 = { endpoint: "http://127.0.0.1:9000", bucket: "shop", ...keys };
  test.each<[string, (...values: never[]) => unknown, unknown]>([
    ["typeCheck must be an object with options; got an array.", typeCheck, ["image/png"]],
    ["pixelCheck must be an object with options; got 100.", pixelCheck, 100],
    ['pixelCheck: "maxPixels" must be a whole number of at least 1; got "100M".', pixelCheck, { maxPixels: "100M" }],
    ['pixelCheck has no option "maxHeigth"; did you mean "maxHeight"? There are: maxPixels, maxWidth, maxHeight.', pixelCheck, { maxHeigth: 5 }],
    ['zipCheck: "maxEntries" must be a whole number of at least 1; got NaN.', zipCheck, { maxEntries: Number.NaN }],
    ['macroCheck: "maxRatio" must be a whole number of at least 1; got 0.', macroCheck, { maxRatio: 0 }],
    ['metadataCheck: "maxBytes" must be a whole number of at least 1; got "5".', metadataCheck, { maxBytes: "5" }],
    ['svgCheck: "maxBytes" must be a whole number of at least 1; got null.', svgCheck, { maxBytes: null }],
    ['pdfCheck: "maxInflatedBytes" must be a whole number of at least 1; got -1.', pdfCheck, { maxInflatedBytes: -1 }],
    ['pdfCheck: "allow[0]" must be "AA" or "EmbeddedFile" or', pdfCheck, { allow: ["Javascript"] }],
    ['clamdCheck needs "port", with a "host", or the "path" of a socket.', clamdCheck, { host: "127.0.0.1" }],
    ['clamdCheck: "port" must be a whole number from 1 to 65535; got "3310".', clamdCheck, { port: "3310" }],
    ['clamdCheck: "whenUnavailable" must be "reject" or "defer"; got "ignore".', clamdCheck, { port: 3310, whenUnavailable: "ignore" }],
    ['presigner: "secrets[0]" must be a text; got undefined.', presigner, { secrets: [undefined] }],
    ["diskBlobs must be an object with options; got undefined.", diskBlobs, undefined],
    ['diskBlobs must be an object with options; got "data/blobs".', diskBlobs, "data/blobs"],
    ["s3Blobs must be an object with options; got undefined.", s3Blobs, undefined],
    ['s3Blobs: "bucket" must be the name of a bucket; got undefined.', s3Blobs, { ...s3, bucket: undefined }],
    ['s3Blobs: "credentials" must be an async function', s3Blobs, { ...s3, credentials: keys }],
    ['s3Blobs: "timeoutMs" must be a whole number of at least 1; got "5s".', s3Blobs, { ...s3, timeoutMs: "5s" }],
    ["The Redis client is invalid; pass a client of ioredis, or of redis", redisUploads, "redis://127.0.0.1"],
    ["The Redis client is invalid; pass a client of ioredis, or of redis", redisUploads, null],
  ])("%s", (message, make, options) => {
    expect(() => call(make, options)).toThrow(message);
  });
});

describe("a form of one's own is not read", () => {
  const form = { headers: { "content-type": "multipart/form-data; boundary=x" }, body: null };
  test.each<[string, unknown, unknown]>([
    ["receiveForm must be an object with options; got undefined.", form, undefined],
    ['receiveForm: "blobs" must be a BlobStore, such as memoryBlobs(); got undefined.', form, { types: "any" }],
    ['receiveForm: "types" must be an array of texts', form, { blobs: memoryBlobs() }],
    [
      'receiveForm: "keyPrefix" must be at most 96 letters, digits, "-" and "_"; got "a/b".',
      form,
      { blobs: memoryBlobs(), types: "any", keyPrefix: "a/b" },
    ],
    ["A form is read from a request with headers and a body; got undefined.", undefined, { blobs: memoryBlobs(), types: "any" }],
    ["A form is read from a request with headers and a body; got an object.", {}, { blobs: memoryBlobs(), types: "any" }],
  ])("%s", async (message, request, options) => {
    await expect(call(receiveForm, request, options)).rejects.toThrow(message);
  });

  test("with a limit that there is not", async () => {
    const parts = parseMultipart(form, Object.fromEntries([["fileSize", 5]]));
    await expect(parts.next()).rejects.toThrow('parseMultipart has no option "fileSize"; there are: requestBytes, fileBytes,');
  });
});

test("a quota that is no number lets nobody send anything", async () => {
  const errors: unknown[] = [];
  const uploads = { types: "any" as const, quotaBytes: () => Number.NaN };
  const service = fullService({ resources: [], storage: memoryStorage(), blobs: memoryBlobs(), uploads, onError: (error) => errors.push(error) });
  const response = await service.handle({
    ...{ method: "POST", path: "/uploads", query: "", mount: "", headers: ["upload-length", "5"], body: { kind: "none" as const } },
    ...{ signal: new AbortController().signal, native: undefined },
  });
  expect(response?.status).toBe(500);
  expect(String(errors)).toContain('"uploads.quotaBytes" must be a number of at least 0; got NaN.');
});

describe.each([
  ["given", (bytes: number) => bytes],
  ["asked for", (bytes: number) => () => bytes],
])("a quota that is %s", (_, quotaOf) => {
  const sending = (bytes: number, body: string) => {
    const uploads = { types: "any" as const, quotaBytes: quotaOf(bytes) };
    return clientOf(fullService({ resources: [], storage: memoryStorage(), blobs: memoryBlobs(), uploads }))({
      ...{ method: "POST", target: "/uploads", headers: { "content-type": "text/plain" } },
      body,
    });
  };

  test("is no limit where it is infinite", async () => {
    expect((await sending(Number.POSITIVE_INFINITY, "hello")).status).toBe(201);
  });

  test("may be reckoned, and has whole bytes", async () => {
    expect((await sending(16 / 3, "hello")).status).toBe(201);
    const refused = await sending(16 / 3, "hello!");
    expect([refused.status, refused.json.quota]).toEqual([413, { limit: 5, used: 0, remaining: 5, requested: 6 }]);
  });
});

test("a store that says that blobs may be as long as they like is taken", async () => {
  const blobs = { ...memoryBlobs(), maxBytes: Number.POSITIVE_INFINITY };
  const send = clientOf(fullService({ resources: [], storage: memoryStorage(), blobs, uploads: { types: "any" } }));
  expect((await send({ method: "POST", target: "/uploads", body: "hello", headers: { "content-type": "text/plain" } })).status).toBe(201);
});

describe("a form with more in a file than the store takes without its size is refused as too large", () => {
  const blobs = { ...memoryBlobs(), maxBytes: 4 };
  const headers = { "content-type": "multipart/form-data; boundary=b" };
  const form = (content: string) => `--b\r\nContent-Disposition: form-data; name="a"; filename="a.txt"\r\n\r\n${content}\r\n--b--\r\n`;

  test("by a service", async () => {
    const uploads = { types: "any" as const, forms: { avatars: { types: "any" as const } } };
    const send = clientOf(fullService({ resources: [], storage: memoryStorage(), blobs, uploads }));
    const post = async (content: string) => send({ method: "POST", target: "/avatars", headers, body: form(content) });
    expect((await post("hell")).status).toBe(201);
    const refused = await post("hello");
    expect([refused.status, refused.json.code, refused.json.limit]).toEqual([413, "FILE_TOO_LARGE", 4]);
  });

  test("by a route of one's own", async () => {
    const receive = (content: string) => {
      const body = { kind: "bytes" as const, bytes: Buffer.from(form(content)) };
      return receiveForm({ headers, body }, { blobs, types: "any" });
    };
    expect((await receive("hell")).files).toHaveLength(1);
    await expect(receive("hello")).rejects.toMatchObject({ code: "FILE_TOO_LARGE", extensions: { limit: 4 } });
  });
});
