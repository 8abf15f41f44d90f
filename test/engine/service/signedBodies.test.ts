import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { AwsV4Signer } from "aws4fetch";
import { defineResource, type HttpRequest } from "restwright";
import { sigv4 } from "restwright/auth";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { leftOf } from "../../capabilities/uploads/left.js";
import { type Answer, type UploadStage, uploadStage } from "../../capabilities/uploads/stage.js";

const notes = defineResource("notes", { schema: z.object({ id: z.int(), text: z.string() }), generated: { id: "increment" } });
const keys = { accessKeyId: "AKID", secretAccessKey: "secret" };
const sha256 = (body: string | Uint8Array) => createHash("sha256").update(body).digest("hex");
const json = { "content-type": "application/json" };
const csv = { "content-type": "text/csv" };
const bytes = { "content-type": "application/octet-stream" };
const tus = { "tus-resumable": "1.0.0", "content-type": "application/offset+octet-stream" };

let stage: UploadStage;

beforeAll(async () => {
  const secret = (id: string) => (id === keys.accessKeyId ? { secretAccessKey: keys.secretAccessKey, principal: { id: "ada" } } : undefined);
  stage = await uploadStage({
    resources: [notes],
    logger: false,
    auth: [sigv4({ secret, service: "shop", region: "local" })],
    limits: { jsonBodyBytes: 10_000 },
    uploads: { forms: { avatars: { types: "any" } } },
  });
});
afterAll(() => stage.close());

interface Signed {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The body that is signed, if it is not the one that is sent. */
  readonly signedBody?: string | Uint8Array;
  /** Whether the hash of the body is in a header. */
  readonly isStated?: boolean;
  readonly secretAccessKey?: string;
  readonly origin?: string;
}

/** The headers of a request that aws4fetch has signed. */
async function sign(method: string, path: string, { headers = {}, body = "", signedBody = body, isStated = true, secretAccessKey, origin }: Signed) {
  const hash = isStated ? { "x-amz-content-sha256": sha256(signedBody) } : {};
  const signer = new AwsV4Signer({
    method,
    url: (origin ?? stage.origin) + path,
    headers: { ...hash, ...headers },
    body: Buffer.from(signedBody),
    ...keys,
    ...(secretAccessKey === undefined ? {} : { secretAccessKey }),
    service: "shop",
    region: "local",
  });
  const signed = await signer.sign();
  return Object.fromEntries(signed.headers);
}

async function send(method: string, path: string, signed: Signed & { readonly chunked?: boolean } = {}): Promise<Answer> {
  const { body, chunked = false } = signed;
  return stage.send(method, path, { headers: await sign(method, path, signed), ...(body === undefined ? {} : { body, chunked }) });
}

const texts = async () => (await send("GET", "/notes")).json.data.map(({ text }: { readonly text: string }) => text);

const queuedJobs = () => stage.storage.jobs?.countQueued(undefined);

/** The one text that a request with wrong credentials gets. */
function expectRefusal({ status, headers, json: problem }: Answer): void {
  const { code, detail } = problem;
  expect({ status, code, detail, challenge: headers["www-authenticate"] }).toEqual({
    status: 401,
    code: "UNAUTHENTICATED",
    detail: "Valid credentials are needed.",
    challenge: 'AWS4-HMAC-SHA256 service="shop", region="local"',
  });
}

describe.each([true, false])("a JSON body whose hash is in a header: %s", (isStated) => {
  test.each([true, false])("is taken if it is the one that was signed (chunked: %s)", async (chunked) => {
    const body = JSON.stringify({ text: `${isStated} ${chunked}` });
    expect((await send("POST", "/notes", { headers: json, body, isStated, chunked })).status).toBe(201);
    expect(await texts()).toContain(`${isStated} ${chunked}`);
  });

  test.each([true, false])("is refused if another one was signed (chunked: %s)", async (chunked) => {
    const before = await texts();
    const body = '{"text":"other"}';
    expectRefusal(await send("POST", "/notes", { headers: json, body, signedBody: '{"text":"othes"}', isStated, chunked }));
    expectRefusal(await send("POST", "/notes", { headers: json, body, signedBody: "", isStated, chunked }));
    expect(await texts()).toEqual(before);
  });

  test("is refused if it was taken away", async () => {
    expectRefusal(await send("POST", "/notes", { headers: json, body: "", signedBody: '{"text":"x"}', isStated }));
    expectRefusal(await send("DELETE", "/notes/1", { signedBody: "x", isStated }));
  });

  test("may be a patch, and a request may have none", async () => {
    const created = await send("POST", "/notes", { headers: json, body: '{"text":"a"}', isStated });
    const path = `/notes/${created.json.id}`;
    const patch = { "content-type": "application/merge-patch+json" };
    expect((await send("PATCH", path, { headers: patch, body: '{"text":"b"}', isStated })).json.text).toBe("b");
    expect((await send("GET", `${path}?fields=text&fields[notes]=text`.split("&")[0] ?? "", { isStated })).json).toEqual({ text: "b" });
    expect((await send("DELETE", path, { isStated })).status).toBe(204);
  });

  test("is limited as that of any other request", async () => {
    const body = JSON.stringify({ text: "x".repeat(10_000) });
    expect((await send("POST", "/notes", { headers: json, body, isStated })).status).toBe(413);
    expect((await send("POST", "/notes", { headers: json, body, isStated, chunked: true })).status).toBe(413);
    // Where an operation ignores its body, only one that must be hashed is read.
    expect((await send("DELETE", "/notes/0", { body, isStated })).status).toBe(isStated ? 404 : 413);
  });

  test("may contain operations of a batch", async () => {
    const operations = [{ method: "POST", url: "/notes", body: { text: "of a batch" } }];
    const answer = await send("POST", "/batch", { headers: json, body: JSON.stringify({ operations }), isStated });
    expect([answer.status, answer.json.results?.[0]?.status]).toEqual([200, 201]);
  });

  test("does not stop a key from being replayed", async () => {
    const headers = { ...json, "idempotency-key": `a-key-of-a-note-${isStated}` };
    const first = await send("POST", "/notes", { headers, body: '{"text":"once"}', isStated });
    const second = await send("POST", "/notes", { headers, body: '{"text":"once"}', isStated });
    expect([second.json, second.headers["idempotent-replayed"]]).toEqual([first.json, "true"]);
  });
});

/** The host that a raw connection names. */
const rawOrigin = "http://test";

test("a body is not awaited if the signature is wrong and its hash is in a header", async () => {
  const headers = await sign("POST", "/notes", { headers: json, body: "{}", secretAccessKey: "wrong", origin: rawOrigin });
  const begun = await stage.begin("POST", "/notes", { ...headers, "content-length": 5_000, connection: "close" });
  expect(await begun.answered).toMatch(/^HTTP\/1.1 401 /);
});

const boundary = { "content-type": "multipart/form-data; boundary=b" };
const form = '--b\r\nContent-Disposition: form-data; name="f"; filename="f.bin"\r\n\r\nhello\r\n--b--\r\n';
const gzip = { ...csv, "content-encoding": "gzip" };
const routes: readonly [string, string, Readonly<Record<string, string>>, string | Uint8Array, number][] = [
  ["an import", "/notes/import", csv, "text\nimported\n", 200],
  ["a compressed import", "/notes/import", gzip, gzipSync("text\ncompressed\n"), 200],
  ["an import as a job", "/imports?collection=notes", csv, "text\nin a job\n", 202],
  ["a file", "/uploads", bytes, "hello", 201],
  ["a form", "/avatars", boundary, form, 201],
];

describe("a body that is received as a stream", () => {
  test.each(routes)("is refused without a trace if it is not: %s", async (_what, path, headers, body) => {
    const before = [await texts(), await leftOf(stage, undefined, "ada"), await queuedJobs()];
    const end = Buffer.concat([Buffer.from(body), Buffer.from("\r\nx")]);
    for (const chunked of [true, false]) {
      expectRefusal(await send("POST", path, { headers, body, signedBody: end, chunked }));
      // What comes after the end of a form or of a compressed file may be ignored, but was not signed.
      expectRefusal(await send("POST", path, { headers, body: end, signedBody: body, chunked }));
    }
    expectRefusal(await send("POST", path, { headers: { ...headers, "content-length": "0" }, body: "", signedBody: body }));
    expect([await texts(), await leftOf(stage, undefined, "ada"), await queuedJobs()]).toEqual(before);
  });

  test.each(routes)("is refused if its hash is not in a header: %s", async (_what, path, headers, body) => {
    expectRefusal(await send("POST", path, { headers, body, isStated: false }));
  });
});

describe("a resumable upload", () => {
  const offsetOf = async (path: string) => (await send("HEAD", path, { headers: { "tus-resumable": "1.0.0" } })).headers["upload-offset"];

  async function create(length: number): Promise<string> {
    const headers = { "tus-resumable": "1.0.0", "upload-length": String(length) };
    const { status, headers: answered } = await send("POST", "/uploads", { headers });
    expect(status).toBe(201);
    return String(answered["location"]);
  }

  test("takes the bytes that were signed, in every request", async () => {
    const path = await create(10);
    const first = await send("PATCH", path, { headers: { ...tus, "upload-offset": "0" }, body: "hello" });
    expect([first.status, first.headers["upload-offset"]]).toEqual([204, "5"]);
    expect((await send("PATCH", path, { headers: { ...tus, "upload-offset": "5" }, body: "world", chunked: true })).status).toBe(204);
    const file = await send("GET", `/files/${path.split("/").at(-1)}`);
    expect(file.text).toBe("helloworld");
  });

  test.each(["hello", "helloworld"])("does not record other bytes, nor the end of the upload: %j", async (body) => {
    const path = await create(10);
    for (const chunked of [true, false]) {
      expectRefusal(await send("PATCH", path, { headers: { ...tus, "upload-offset": "0" }, body, signedBody: "hellO", chunked }));
      expect(await offsetOf(path)).toBe("0");
    }
    expectRefusal(await send("PATCH", path, { headers: { ...tus, "upload-offset": "0" }, body, isStated: false }));
    expect((await send("PATCH", path, { headers: { ...tus, "upload-offset": "0" }, body: "helloworld" })).status).toBe(204);
  });

  test("does not record the beginning of a large body that was not signed", async () => {
    const length = 10_000_000;
    const path = await create(length);
    const body = Buffer.alloc(length, "a");
    const sent = send("PATCH", path, { headers: { ...tus, "upload-offset": "0" }, body, signedBody: "a" });
    expectRefusal(await sent);
    expect(await offsetOf(path)).toBe("0");
  });

  test.each([4, 10])("does not keep the %i bytes of a body that breaks off", async (arrived) => {
    const path = await create(10);
    const headers = await sign("PATCH", path, { headers: { ...tus, "upload-offset": "0" }, body: "helloworld", origin: rawOrigin });
    const begun = await stage.begin("PATCH", path, { ...headers, "transfer-encoding": "chunked" });
    await begun.write(Buffer.from(`${arrived.toString(16)}\r\n${"helloworld".slice(0, arrived)}\r\n`));
    await new Promise((resolve) => setTimeout(resolve, 50));
    begun.socket.destroy();
    // Nothing is answered to a client that has gone: the body was awaited, and not refused for its signature.
    expect(await begun.answered).toBe("");
    expect(await offsetOf(path)).toBe("0");
  });

  test("begins with bytes that were signed only", async () => {
    const headers = { ...tus, "upload-length": "5" };
    const before = await leftOf(stage, undefined, "ada");
    expectRefusal(await send("POST", "/uploads", { headers, body: "hello", signedBody: "hellO" }));
    expect(await leftOf(stage, undefined, "ada")).toEqual(before);
    expect((await send("POST", "/uploads", { headers, body: "hello" })).headers["upload-offset"]).toBe("5");
  });
});

describe("a body that the host has parsed", () => {
  async function handle(signed: Signed, request: Partial<HttpRequest>) {
    const headers = Object.entries(await sign("POST", "/notes", { headers: json, body: '{"text":"parsed"}', ...signed })).flat();
    const host = ["host", new URL(stage.origin).host];
    const signal = new AbortController().signal;
    const parsed = { kind: "parsed", value: { text: "parsed" } } as const;
    const sent: HttpRequest = {
      method: "POST",
      path: "/notes",
      query: "",
      mount: "",
      headers: [],
      body: parsed,
      signal,
      native: undefined,
      ...request,
    };
    const answer = await stage.service.handle({ ...sent, headers: [...headers, ...host, ...(request.headers ?? [])] });
    return { status: answer?.status, ...JSON.parse(String(answer?.body)) };
  }

  test.each([true, false])("is a fault of the server, which says what to do (hash in a header: %s)", async (isStated) => {
    const before = await texts();
    const answer = await handle({ isStated }, { headers: ["content-length", "17"] });
    expect(answer).toMatchObject({ status: 500, code: "INTERNAL" });
    expect(answer.detail).toContain("Mount restwright before body parsers.");
    expect(stage.faults.splice(0)).toMatchObject([{ code: "INTERNAL" }]);
    expect(await texts()).toEqual(before);
  });

  test("is not a fault if the request had none", async () => {
    expect(await handle({ body: "" }, { headers: ["content-length", "0"] })).toMatchObject({ status: 400, code: "MALFORMED_JSON" });
  });
});

// Last, because jobs go on after it.
test.each(routes)("a body that is received as a stream is taken if it is the one that was signed: %s", async (_what, path, headers, body, status) => {
  expect((await send("POST", path, { headers, body })).status).toBe(status);
  expect((await send("POST", path, { headers, body, chunked: true })).status).toBe(status);
});

test("none of this was a fault of the service", () => {
  expect(stage.faults).toEqual([]);
});
