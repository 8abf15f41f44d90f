import { createHash } from "node:crypto";
import type { BlobStore } from "restwright";
import { type FileCheck, pass, reject } from "restwright/checks";
import { memoryBlobs } from "restwright/memory";
import type { ReadyFile } from "restwright/uploads";
import { afterEach, describe, expect, test } from "vitest";
import { keysOf } from "../../adapters/stores/blobs/blobContents.js";
import { type StageOptions, type UploadStage, uploadStage } from "./stage.js";

const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex");
const named = (name: string, type?: string) =>
  [`filename ${Buffer.from(name).toString("base64")}`, ...(type === undefined ? [] : [`filetype ${Buffer.from(type).toString("base64")}`])].join(",");

const stages: UploadStage[] = [];
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.close();
});

async function open(options: StageOptions): Promise<UploadStage> {
  const stage = await uploadStage(options);
  stages.push(stage);
  return stage;
}

const checkOf = (name: string, run: FileCheck["run"], others: Partial<FileCheck> = {}): FileCheck => ({ name, needs: "file", run, ...others });

describe("types", () => {
  test("a file of the right type is taken, and says what it is", async () => {
    const stage = await open({ uploads: { types: ["image/png"] } });
    const { status, headers, json } = await stage.send("POST", "/uploads", {
      headers: { "content-type": "image/png", "content-disposition": `attachment; filename="dot.png"` },
      body: png,
    });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      filename: "dot.png",
      contentType: "image/png",
      declaredContentType: "image/png",
      size: png.length,
      sha256: sha256(png),
      status: "ready",
      image: { width: 1, height: 1 },
    });
    expect(headers.location).toBe(json.url);
    expect((await stage.send("GET", json.url)).bytes.equals(png)).toBe(true);
  });

  test("what is announced as another is refused before a byte is sent", async () => {
    const stage = await open({ uploads: { types: ["image/png"] } });
    for (const metadata of [named("page.html"), named("dot.png", "text/html"), named("dot.jpg", "image/png")]) {
      const { status, json } = await stage.send("POST", "/uploads", { headers: { "upload-length": 100, "upload-metadata": metadata } });
      expect({ status, code: json.code }).toEqual({ status: 415, code: "TYPE_NOT_ALLOWED" });
    }
    const taken = await stage.send("POST", "/uploads", { headers: { "upload-length": 100, "upload-metadata": named("dot.png", "image/png; q=1") } });
    expect(taken.status).toBe(201);
  });

  test("what turns out to be another is refused with the last byte, is removed, and says why", async () => {
    const stage = await open({ uploads: { types: ["image/png"] } });
    const path = await stage.create(5, { "upload-metadata": named("dot.png", "image/png") });
    const answer = await stage.patch(path, 0, "hello");
    expect({ status: answer.status, code: answer.json.code, offset: answer.headers["upload-offset"] }).toEqual({
      status: 415,
      code: "TYPE_NOT_ALLOWED",
      offset: "5",
    });
    expect((await stage.send("HEAD", path)).status).toBe(410);
    expect((await stage.send("GET", path)).json).toMatchObject({ status: "rejected", error: { code: "TYPE_NOT_ALLOWED" } });
    expect(await keysOf(stage.blobs)).toEqual([]);
  });

  test("a body is refused by its first bytes, before the rest is there", async () => {
    const stage = await open({ uploads: { types: ["image/png"] } });
    const begun = await stage.begin("POST", "/uploads", { "content-length": 100_000_000, "content-type": "image/png" }, Buffer.alloc(70_000, "x"));
    await expect.poll(() => keysOf(stage.blobs)).toEqual([]);
    await begun.endAfterAnswer();
    expect(await begun.answered).toMatch(/^HTTP\/1.1 415 .*TYPE_NOT_ALLOWED/s);
    expect(stage.faults).toEqual([]);
  });
});

describe("checks", () => {
  test("one that refuses leaves nothing of a file", async () => {
    const stage = await open({
      uploads: { types: "any", checks: [checkOf("no", async () => reject("VIRUS_DETECTED", "It is one.", { signature: "x" }))] },
    });
    const { status, json } = await stage.send("POST", "/uploads", { body: "hello" });
    expect({ status, code: json.code, signature: json.signature }).toEqual({ status: 422, code: "VIRUS_DETECTED", signature: "x" });
    expect(await keysOf(stage.blobs)).toEqual([]);
  });

  test("one that cannot answer now keeps a resumable file for later, and nothing of any other", async () => {
    let isUp = false;
    const scanner = checkOf("scanner", async () => (isUp ? pass : reject("SCAN_UNAVAILABLE", "It is down.")));
    const stage = await open({ uploads: { types: "any", checks: [scanner] } });
    const plain = await stage.send("POST", "/uploads", { body: "hello" });
    expect({ status: plain.status, after: plain.headers["retry-after"] }).toEqual({ status: 503, after: "30" });
    expect(await keysOf(stage.blobs)).toEqual([]);
    const path = await stage.create(5);
    expect((await stage.patch(path, 0, "hello")).status).toBe(503);
    expect((await stage.send("GET", path)).json).toMatchObject({ status: "processing" });
    expect((await stage.send("HEAD", path)).headers["upload-offset"]).toBe("5");
    isUp = true;
    expect((await stage.send("GET", `/files/${path.slice(9)}`)).status).toBe(404);
  });

  test("one that defers is answered 202, and nobody reads the file meanwhile", async () => {
    const stage = await open({ uploads: { types: "any", checks: [checkOf("human", async () => ({ verdict: "defer" }))] } });
    const { status, headers, json } = await stage.send("POST", "/uploads", { body: "hello" });
    expect({ status, location: headers.location, of: json.status }).toEqual({ status: 202, location: `/uploads/${json.id}`, of: "processing" });
    expect((await stage.send("GET", `/files/${json.id}`)).status).toBe(404);
    expect(await keysOf(stage.blobs)).toHaveLength(1);
  });

  test("one that gives other bytes has them kept, and only them", async () => {
    const upper = checkOf(
      "loud",
      async (input) => ({
        verdict: "replace",
        bytes: Buffer.from(
          Buffer.from(await input.readAll(1_000))
            .toString()
            .toUpperCase(),
        ),
      }),
      {
        rewrites: true,
      },
    );
    const stage = await open({ uploads: { types: "any", checks: [upper] } });
    const path = await stage.create(5);
    expect((await stage.patch(path, 0, "hello")).status).toBe(204);
    const { json } = await stage.send("GET", path);
    expect(json).toMatchObject({ sha256: sha256("HELLO"), size: 5 });
    expect((await stage.send("GET", json.url)).text).toBe("HELLO");
    expect(await keysOf(stage.blobs)).toHaveLength(1);
    expect((await stage.send("DELETE", path)).status).toBe(204);
    expect(await keysOf(stage.blobs)).toEqual([]);
  });
});

test("the developer hears of each file once, when it is ready", async () => {
  const heard: ReadyFile[] = [];
  const stage = await open({
    uploads: {
      types: "any",
      onReady: (file) => {
        heard.push(file);
        throw new Error("not here");
      },
    },
  });
  const path = await stage.create(5, { "upload-metadata": `${named("a.txt")},album ${Buffer.from("sea").toString("base64")}` });
  await stage.patch(path, 0, "hello");
  await stage.patch(path, 5, "");
  await stage.send("HEAD", path);
  expect(heard).toHaveLength(1);
  expect(heard[0]).toMatchObject({
    id: path.slice(9),
    filename: "a.txt",
    size: 5,
    sha256: sha256("hello"),
    metadata: { filename: "a.txt", album: "sea" },
  });
});

describe("quotas", () => {
  test("what is there and what is to come counts, and what is deleted is free again", async () => {
    const stage = await open({ uploads: { quotaBytes: 10 } });
    const first = await stage.create(6);
    const second = await stage.send("POST", "/uploads", { headers: { "upload-length": 5 } });
    expect(second.json).toMatchObject({ status: 413, code: "QUOTA_EXCEEDED", quota: { limit: 10, used: 6, remaining: 4, requested: 5 } });
    const plain = await stage.send("POST", "/uploads", { body: "12345" });
    expect(plain.json).toMatchObject({ status: 413, code: "QUOTA_EXCEEDED" });
    const hidden = await stage.send("POST", "/uploads", { body: "12345", chunked: true });
    expect(hidden.json).toMatchObject({ status: 413, code: "QUOTA_EXCEEDED" });
    expect((await stage.send("POST", "/uploads", { body: "1234", chunked: true })).status).toBe(201);
    expect((await stage.send("DELETE", first)).status).toBe(204);
    expect((await stage.send("POST", "/uploads", { body: "123456" })).status).toBe(201);
  });

  test("a deferred length counts as it comes", async () => {
    const stage = await open({ uploads: { quotaBytes: 10 } });
    const { headers } = await stage.send("POST", "/uploads", { headers: { "upload-defer-length": 1 } });
    const path = String(headers.location);
    expect((await stage.patch(path, 0, "12345678")).status).toBe(204);
    expect((await stage.patch(path, 8, "901")).json).toMatchObject({ code: "QUOTA_EXCEEDED" });
    expect((await stage.send("HEAD", path)).headers["upload-offset"]).toBe("8");
    expect((await stage.patch(path, 8, "90", { "upload-length": 10 })).status).toBe(204);
  });

  test("so many uploads may be open, and no more", async () => {
    const stage = await open({ uploads: { maxOpen: 2 } });
    const [one] = [await stage.create(1), await stage.create(1)];
    expect((await stage.send("POST", "/uploads", { headers: { "upload-length": 1 } })).json).toMatchObject({ status: 413, code: "QUOTA_EXCEEDED" });
    await stage.patch(one ?? "", 0, "a");
    expect((await stage.send("POST", "/uploads", { headers: { "upload-length": 1 } })).status).toBe(201);
  });
});

describe("plain uploads", () => {
  test("a body that breaks off leaves nothing", async () => {
    const stage = await open({});
    const begun = await stage.begin("POST", "/uploads", { "content-length": 1_000_000 }, Buffer.alloc(500_000));
    await expect.poll(() => keysOf(stage.blobs)).toHaveLength(1);
    begun.socket.destroy();
    await expect.poll(() => keysOf(stage.blobs)).toEqual([]);
    expect(await stage.storage.uploads?.use(undefined, "address 127.0.0.1")).toEqual({ open: 0, bytes: 0 });
  });

  test("exactly at the limit is taken, one more is not", async () => {
    const stage = await open({ uploads: { plainBytes: 5 } });
    expect((await stage.send("POST", "/uploads", { body: "12345" })).status).toBe(201);
    for (const chunked of [true, false]) {
      const { status, json } = await stage.send("POST", "/uploads", { body: "123456", chunked });
      expect({ status, code: json.code, limit: json.limit }).toEqual({ status: 413, code: "FILE_TOO_LARGE", limit: 5 });
    }
    expect(await keysOf(stage.blobs)).toHaveLength(1);
  });

  test("what the blob store can take without being told a length is the limit, unless there is another and a length", async () => {
    const limited: BlobStore = { ...memoryBlobs(), maxBytes: 5 };
    const own = await open({ blobs: limited });
    const other = await open({ blobs: limited, uploads: { plainBytes: 6 } });
    const statuses = async (stage: typeof own, body: string) => [
      (await stage.send("POST", "/uploads", { body })).status,
      (await stage.send("POST", "/uploads", { body, chunked: true })).status,
    ];
    expect([await statuses(own, "12345"), await statuses(own, "123456")]).toEqual([
      [201, 201],
      [413, 413],
    ]);
    expect([await statuses(other, "12345"), await statuses(other, "123456")]).toEqual([
      [201, 201],
      [201, 413],
    ]);
  });

  test("a key makes one file of two requests, and refuses another file", async () => {
    const stage = await open({});
    const headers = { "idempotency-key": "9b1c1c60-0f0c-4b7e-8b86-000000000001" };
    const [first, again] = [
      await stage.send("POST", "/uploads", { headers, body: "hello" }),
      await stage.send("POST", "/uploads", { headers, body: "hello" }),
    ];
    expect(again.json.id).toBe(first.json.id);
    expect(again.headers["idempotent-replayed"]).toBe("true");
    expect((await stage.send("POST", "/uploads", { headers, body: "other" })).json.code).toBe("IDEMPOTENCY_KEY_REUSED");
    expect(await keysOf(stage.blobs)).toHaveLength(1);
  });

  test("a key makes one resumable upload of two requests", async () => {
    const stage = await open({});
    const headers = { "idempotency-key": "9b1c1c60-0f0c-4b7e-8b86-000000000002", "upload-length": 5 };
    const [first, again] = [await stage.send("POST", "/uploads", { headers }), await stage.send("POST", "/uploads", { headers })];
    expect(first.status).toBe(201);
    expect(again.headers.location).toBe(first.headers.location);
    expect((await stage.send("POST", "/uploads", { headers: { ...headers, "upload-length": 6 } })).json.code).toBe("IDEMPOTENCY_KEY_REUSED");
  });

  test("names come safe, and an empty body is a file", async () => {
    const stage = await open({});
    for (const [header, filename] of [
      ["attachment; filename*=UTF-8''na%C3%AFve%2F..%2Fx.bin", "x.bin"],
      [`attachment; filename="..\\\\..\\\\a.bin"`, "a.bin"],
      ["attachment; filename=b.bin", "b.bin"],
      ["attachment", "unnamed"],
    ] as const) {
      const { status, json } = await stage.send("POST", "/uploads", { headers: { "content-disposition": header }, body: "" });
      expect({ status, filename: json.filename, size: json.size }).toEqual({ status: 201, filename, size: 0 });
    }
  });

  test("a form and a compressed body are refused", async () => {
    const stage = await open({});
    for (const headers of [{ "content-type": "multipart/form-data; boundary=b" }, { "content-encoding": "gzip" }]) {
      expect((await stage.send("POST", "/uploads", { headers, body: "hello" })).json).toMatchObject({ status: 415, code: "UNSUPPORTED_MEDIA_TYPE" });
    }
  });
});
