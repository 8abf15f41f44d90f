// @slow

import { createHash, randomBytes } from "node:crypto";
import { type BlobStore, type DraftWriter, Unavailable } from "restwright";
import { memoryBlobs } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { afterEach, describe, expect, test } from "vitest";
import { keysOf } from "../../../adapters/stores/blobs/blobContents.js";
import { type StageOptions, type UploadStage, uploadStage } from "../stage.js";
import { withCountedWrites } from "./countedWrites.js";

const stream = { "content-type": "application/offset+octet-stream" };
const account = "address 127.0.0.1";
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const chunkOf = (bytes: Uint8Array) => Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);

const stages: UploadStage[] = [];
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.close();
});

async function open(options: StageOptions = {}): Promise<UploadStage & { readonly writtenBytes: () => number }> {
  const { blobs, writtenBytes } = withCountedWrites(options.blobs ?? memoryBlobs());
  const stage = await uploadStage({ ...options, blobs });
  stages.push(stage);
  return { ...stage, writtenBytes };
}

/** A store of drafts with something between a writer and its caller. */
function writingBy(blobs: BlobStore, between: (writer: DraftWriter) => DraftWriter): BlobStore {
  const { drafts } = blobs;
  if (drafts === undefined) throw new Error("There are no drafts.");
  return {
    ...blobs,
    drafts: {
      ...drafts,
      async resume(...given) {
        const writer = await drafts.resume(...given);
        return writer && between(writer);
      },
    },
  };
}

test("a body of which all bytes have come, but not its end, makes the file", async () => {
  const stage = await open();
  const bytes = randomBytes(100_000);
  for (const how of ["a HEAD", "the client going away"]) {
    const path = await stage.create(bytes.length);
    const before = stage.writtenBytes();
    const begun = await stage.begin("PATCH", path, { ...stream, "upload-offset": 0, "transfer-encoding": "chunked" }, chunkOf(bytes));
    await expect.poll(() => stage.writtenBytes() - before).toBe(bytes.length);
    if (how !== "a HEAD") begun.socket.destroy();
    // Whoever is told that nothing is missing sends nothing more.
    expect((await stage.send("HEAD", path)).headers["upload-offset"], how).toBe("100000");
    await expect.poll(async () => (await stage.send("GET", path)).json, { message: how }).toMatchObject({ status: "ready", sha256: sha256(bytes) });
  }
  expect(stage.faults).toEqual([]);
});

test("what was being written when a body broke off does not land among the bytes of the next", async () => {
  const late = (writer: DraftWriter): DraftWriter => {
    let writing: Promise<unknown> = Promise.resolve();
    const settled = () => writing.catch(() => {});
    return {
      // The last of a body is with the disk while the next is waited for.
      async write(chunk) {
        writing = writing.then(() => new Promise((resolve) => setTimeout(resolve, 60))).then(() => writer.write(chunk));
        writing.catch(() => {});
      },
      async flush() {
        await settled();
        return writer.flush();
      },
      async close() {
        await settled();
        return writer.close();
      },
    };
  };
  const stage = await open({ blobs: writingBy(memoryBlobs(), late) });
  const bytes = randomBytes(200_000);
  const path = await stage.create(bytes.length);
  const proof = { "upload-checksum": `sha256 ${createHash("sha256").update("another").digest("base64")}` };
  const headers = { ...stream, ...proof, "upload-offset": 0, "content-length": bytes.length };
  await stage.begin("PATCH", path, headers, randomBytes(150_000));
  await expect.poll(stage.writtenBytes).toBe(150_000);
  expect((await stage.patch(path, 0, bytes)).status).toBe(204);
  const { json } = await stage.send("GET", path);
  expect(json).toMatchObject({ status: "ready", size: bytes.length });
  expect((await stage.send("GET", json.url)).bytes.equals(bytes)).toBe(true);
});

test("what a store gave up, and may still get, is kept out of what comes next", async () => {
  const contested: (boolean | undefined)[] = [];
  let refusal: Unavailable | undefined;
  const sound = memoryBlobs();
  const givingUp = (writer: DraftWriter): DraftWriter => ({
    ...writer,
    async write(chunk) {
      if (refusal !== undefined) throw refusal;
      return writer.write(chunk);
    },
    async close() {
      await writer.close();
      return { isContested: true };
    },
  });
  const { drafts } = writingBy(sound, givingUp);
  if (drafts === undefined) throw new Error("There are no drafts.");
  const resume: typeof drafts.resume = (key, draft, options) => {
    contested.push(options?.isContested);
    return drafts.resume(key, draft, options);
  };
  const stage = await open({ blobs: { ...sound, drafts: { ...drafts, resume } } });
  const bytes = randomBytes(3_000);
  const path = await stage.create(bytes.length);
  const proof = { "upload-checksum": `sha256 ${createHash("sha256").update("another").digest("base64")}` };
  expect((await stage.patch(path, 0, bytes, proof)).status).toBe(422);
  expect((await stage.patch(path, 0, bytes.subarray(0, 1_000))).status).toBe(204);
  refusal = new Unavailable("Not now.");
  expect((await stage.patch(path, 1_000, bytes.subarray(1_000))).status).toBe(503);
  refusal = undefined;
  expect((await stage.patch(path, 1_000, bytes.subarray(1_000, 2_000))).status).toBe(204);
  expect((await stage.patch(path, 2_000, bytes.subarray(2_000))).status).toBe(204);
  expect(contested).toEqual([false, true, false, true, false]);
  expect((await stage.send("GET", path)).json).toMatchObject({ status: "ready", sha256: sha256(bytes) });
});

test("bytes that the store refused are no part of the hash", async () => {
  let isDown = false;
  const failing = (writer: DraftWriter): DraftWriter => ({
    ...writer,
    async write(chunk) {
      if (!isDown) return writer.write(chunk);
      isDown = false;
      // Meanwhile somebody else asks for the upload.
      const head = stage.send("HEAD", path);
      await new Promise((resolve) => setTimeout(resolve, 100));
      void head.catch(() => {});
      throw new Unavailable("Not now.");
    },
  });
  const stage = await open({ blobs: writingBy(memoryBlobs(), failing) });
  const bytes = randomBytes(100_000);
  const path = await stage.create(bytes.length);
  const begun = await stage.begin("PATCH", path, { ...stream, "upload-offset": 0, "content-length": bytes.length }, bytes.subarray(0, 10_000));
  await expect.poll(stage.writtenBytes).toBe(10_000);
  isDown = true;
  await begun.write(bytes.subarray(10_000, 20_000));
  await begun.answered;
  const head = await stage.send("HEAD", path);
  const offset = Number(head.headers["upload-offset"]);
  expect((await stage.patch(path, offset, bytes.subarray(offset))).status).toBe(204);
  expect((await stage.send("GET", path)).json).toMatchObject({ status: "ready", sha256: sha256(bytes) });
});

test("a body that is refused takes up no more of the quota than before", async () => {
  const stage = await open({ uploads: { maxBytes: 40_000_000 } });
  const { headers } = await stage.send("POST", "/uploads", { headers: { "upload-defer-length": 1 } });
  const path = String(headers.location);
  await stage.patch(path, 0, "hello");
  const said = { ...stream, "upload-offset": 5, "upload-length": 30_000_000 };
  // Enough for some of it to be recorded on the way.
  const long = await stage.send("PATCH", path, { headers: said, body: Buffer.alloc(30_000_010), chunked: true });
  expect(long.json).toMatchObject({ status: 413, code: "FILE_TOO_LARGE" });
  expect((await stage.send("HEAD", path)).headers).toMatchObject({ "upload-offset": "5", "upload-defer-length": "1" });
  expect(await stage.storage.uploads?.use(undefined, account)).toEqual({ open: 1, bytes: 5 });
});

describe("a body with a checksum, of an upload whose length is not known,", () => {
  const announced = { ...stream, "upload-offset": 0, "upload-checksum": "md5 AAAA" };

  test("ends when the quota is used up, not at its end", async () => {
    let written = 0;
    const counted = (writer: DraftWriter): DraftWriter => ({
      flush: () => writer.flush(),
      close: () => writer.close(),
      write(chunk, release) {
        written += chunk.length;
        return writer.write(chunk, release);
      },
    });
    const stage = await open({ blobs: writingBy(memoryBlobs(), counted), uploads: { quotaBytes: 1_000_000 } });
    const { headers } = await stage.send("POST", "/uploads", { headers: { "upload-defer-length": 1 } });
    const { json } = await stage.send("PATCH", String(headers.location), { headers: announced, body: Buffer.alloc(30_000_000), chunked: true });
    expect(json).toMatchObject({ status: 413, code: "QUOTA_EXCEEDED" });
    expect(written).toBeLessThan(10_000_000);
    expect(await stage.storage.uploads?.use(undefined, account)).toEqual({ open: 1, bytes: 0 });
  });

  test("counts no more when it has broken off", async () => {
    const stage = await open();
    const { headers } = await stage.send("POST", "/uploads", { headers: { "upload-defer-length": 1 } });
    const used = async () => stage.storage.uploads?.use(undefined, account);
    const begun = await stage.begin("PATCH", String(headers.location), { ...announced, "content-length": 30_000_000 }, Buffer.alloc(20_000_000));
    await expect.poll(async () => (await used())?.bytes).toBeGreaterThan(16_000_000);
    begun.socket.destroy();
    await expect.poll(used).toEqual({ open: 1, bytes: 0 });
    expect((await stage.send("HEAD", String(headers.location))).headers["upload-offset"]).toBe("0");
  });
});

test("a store is told how much may come of an upload whose length is to follow", async () => {
  const sizes: (number | undefined)[] = [];
  const { drafts, ...others } = memoryBlobs();
  if (drafts === undefined) throw new Error("There are no drafts.");
  const begin: typeof drafts.begin = (key, options) => {
    sizes.push(options?.size);
    return drafts.begin(key, options);
  };
  const stage = await open({ blobs: { ...others, drafts: { ...drafts, begin } }, uploads: { maxBytes: 40_000_000 } });
  await stage.send("POST", "/uploads", { headers: { "upload-defer-length": 1 } });
  await stage.create(100);
  expect(sizes).toEqual([40_000_000, 100]);
});

test("a body that drips ends after a while, and what has come of it is kept", async () => {
  const clock = new FakeClock(Date.now());
  const stage = await open({ clock, timers: clock, limits: { bodyStallMs: 300, bodyBytesPerSecond: 1_024 } });
  const path = await stage.create(1_000);
  const begun = await stage.begin("PATCH", path, { ...stream, "upload-offset": 0, "content-length": 1_000 }, Buffer.from("a"));
  let sent = 1;
  let isOver = false;
  const answered = begun.answered.then((text) => {
    isOver = true;
    return text;
  });
  for (; !isOver && sent < 100; sent++) {
    await expect.poll(() => isOver || stage.writtenBytes() === sent).toBe(true);
    clock.advance(30);
    await begun.write(Buffer.from("a"));
  }
  begun.socket.destroy();
  expect(await answered).toMatch(/^HTTP\/1.1 409 .*UPLOAD_INTERRUPTED/s);
  const offset = Number((await stage.send("HEAD", path)).headers["upload-offset"]);
  expect(offset).toBeGreaterThan(0);
  expect(offset).toBeLessThanOrEqual(sent);
});

test("the length that a body announced stays when the body breaks off", async () => {
  const stage = await open();
  const { headers } = await stage.send("POST", "/uploads", { headers: { "upload-defer-length": 1 } });
  const path = String(headers.location);
  const begun = await stage.begin("PATCH", path, { ...stream, "upload-offset": 0, "upload-length": 10, "content-length": 10 }, Buffer.from("hello"));
  await expect.poll(stage.writtenBytes).toBe(5);
  begun.socket.destroy();
  await expect.poll(async () => (await stage.send("HEAD", path)).headers).toMatchObject({ "upload-offset": "5", "upload-length": "10" });
  expect((await stage.patch(path, 5, "world")).status).toBe(204);
  expect((await stage.send("GET", path)).json).toMatchObject({ status: "ready", size: 10 });
});

test.each([
  ["a wrong checksum", { "upload-checksum": "md5 YQ==" }, "hello", false],
  ["too much", {}, "hello and more", true],
] as const)("a beginning that is refused for %s leaves nothing of the upload", async (_, headers, body, chunked) => {
  const stage = await open();
  const { status } = await stage.send("POST", "/uploads", { headers: { ...stream, "upload-length": 5, ...headers }, body, chunked });
  expect(status).toBeGreaterThanOrEqual(400);
  expect(await stage.storage.uploads?.use(undefined, account)).toEqual({ open: 0, bytes: 0 });
  expect(await keysOf(stage.blobs)).toEqual([]);
});

test("a beginning whose client goes away before it knows where the upload is leaves nothing of it", async () => {
  const stage = await open();
  const begun = await stage.begin("POST", "/uploads", { ...stream, "upload-length": 1_000, "content-length": 1_000 }, Buffer.alloc(500));
  await expect.poll(() => stage.storage.uploads?.use(undefined, account)).toEqual({ open: 1, bytes: 1_000 });
  begun.socket.destroy();
  await expect.poll(() => stage.storage.uploads?.use(undefined, account)).toEqual({ open: 0, bytes: 0 });
});
