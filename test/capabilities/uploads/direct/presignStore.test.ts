// @long

import { createHash } from "node:crypto";
import type { BlobStore } from "restwright";
import { type FileCheck, pass, reject } from "restwright/checks";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { FakeClock, faultyBlobs, faultyStorage } from "restwright/testing";
import { afterEach, describe, expect, test } from "vitest";
import { manyBytes, mebibyte, openStage, put } from "../../../adapters/stores/s3/bucket/stage.js";
import { as } from "../stage.js";
import { greeting, presignStage, sendToStore, sha256Of } from "./presignStage.js";

type Options = Parameters<typeof presignStage>[0];

const stages: Awaited<ReturnType<typeof presignStage>>[] = [];
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.close();
});

/** A service whose files are in S3. */
async function open(options: Options = {}) {
  const clock = new FakeClock(Date.now());
  const now = () => clock.now();
  const { store, calls } = await openStage({ clock: { now } }, { now });
  const stage = await presignStage({ blobs: store, ...options }, clock);
  stages.push(stage);
  const overwrite = (id: string, text: string) => put(store, `upload_${id}`, Buffer.from(text));
  return { ...stage, calls, overwrite };
}

describe("an address of the store itself", () => {
  test("takes the file, which is there once it is completed", async () => {
    const stage = await open();
    const presigned = await stage.presign({ sha256: sha256Of(greeting) });
    const { json } = presigned;
    expect(json).toMatchObject({ method: "PUT", expiresIn: 900, fileUrl: `/files/${json.id}` });
    expect(json.uploadUrl).toContain(`upload_${json.id}?`);
    expect(json.headers).toEqual({ "content-type": "text/plain", "x-amz-checksum-sha256": createHash("sha256").update(greeting).digest("base64") });
    expect((await stage.post(`/uploads/${json.id}/complete`)).json).toMatchObject({ status: 409, code: "UPLOAD_INCOMPLETE" });
    expect(await sendToStore(presigned)).toBe(200);
    const first = await stage.post(`/uploads/${json.id}/complete`);
    expect(first).toMatchObject({ status: 201, headers: { location: `/files/${json.id}` } });
    expect(first.json).toMatchObject({ id: json.id, status: "ready", size: 5, sha256: sha256Of(greeting), contentType: "text/plain" });
    const second = await stage.post(`/uploads/${json.id}/complete`);
    expect({ status: second.status, json: second.json }).toEqual({ status: 201, json: first.json });
    const file = await stage.get(json.fileUrl);
    expect({ text: file.text, etag: file.headers.etag }).toEqual({ text: "hello", etag: `"${sha256Of(greeting)}"` });
    expect(await stage.use()).toEqual({ open: 0, bytes: 5 });
  });

  test("has none of ours beside it", async () => {
    const stage = await open();
    const { json } = await stage.presign();
    expect((await stage.put(`/uploads/direct/${json.id}?e=9999999999&k=a&s=b`)).json.code).toBe("INVALID_SIGNATURE");
  });

  test.each(["GET upload", "HEAD upload", "GET file"])("is looked at by %s", async (look) => {
    const stage = await open();
    const presigned = await stage.presign();
    const { id, fileUrl } = presigned.json;
    const [method, what] = look.split(" ");
    const path = what === "file" ? fileUrl : `/uploads/${id}`;
    const before = await stage.send(method ?? "", path, { headers: as("ada") });
    expect(before.status).toBe(what === "file" ? 404 : 200);
    await sendToStore(presigned);
    expect((await stage.send(method ?? "", path, { headers: as("cy") })).status).toBe(404);
    expect(stage.storage.uploads && (await stage.storage.uploads.get(id))?.data).toMatchObject({ status: "uploading" });
    const after = await stage.send(method ?? "", path, { headers: as("ada") });
    expect(after.status).toBe(200);
    if (method === "HEAD") expect(after.headers).toMatchObject({ "upload-offset": "5", "upload-length": "5" });
    else expect(what === "file" ? after.text : after.json.status).toBe(what === "file" ? "hello" : "ready");
  });

  test("is looked at before the upload is given up", async () => {
    const stage = await open();
    const [sent, forgotten] = [await stage.presign(), await stage.presign()];
    await sendToStore(sent);
    stage.clock.advance(900_000 + 3_600_000);
    expect(await stage.sweep()).toBe(2);
    expect((await stage.get(`/uploads/${sent.json.id}`)).json.status).toBe("ready");
    expect((await stage.get(`/uploads/${forgotten.json.id}`)).json.code).toBe("GONE");
    expect((await stage.post(`/uploads/${forgotten.json.id}/complete`)).json).toMatchObject({ status: 410, code: "GONE" });
    expect(await stage.use()).toEqual({ open: 0, bytes: 5 });
  });

  test("takes no other body", async () => {
    const stage = await open();
    const presigned = await stage.presign();
    expect(await sendToStore(presigned, Buffer.from("hello!"))).toBe(403);
    expect((await stage.post(`/uploads/${presigned.json.id}/complete`)).json.code).toBe("UPLOAD_INCOMPLETE");
  });
});

test("a file that is refused is removed, and refused whenever it is asked for", async () => {
  const stage = await open({ uploads: { types: ["image/png"] } });
  const presigned = await stage.presign({ filename: "a.png", contentType: "image/png" });
  await sendToStore(presigned);
  for (let time = 1; time <= 2; time += 1)
    expect((await stage.post(`/uploads/${presigned.json.id}/complete`)).json).toMatchObject({ status: 415, code: "TYPE_NOT_ALLOWED" });
  expect((await stage.get(`/uploads/${presigned.json.id}`)).json).toMatchObject({ status: "rejected", error: { code: "TYPE_NOT_ALLOWED" } });
  expect((await stage.get(presigned.json.fileUrl)).status).toBe(404);
  expect(await stage.keys()).toEqual([]);
  expect(await stage.use()).toEqual({ open: 0, bytes: 0 });
});

test("a file of another size or with other bytes, which the store let through, is refused", async () => {
  // A store that signs, and does not look at what comes.
  const memory = memoryBlobs();
  const blobs: BlobStore = { ...memory, presignPut: async (key) => ({ url: `https://store.example.com/${key}`, method: "PUT", headers: {} }) };
  const stage = await presignStage({ blobs });
  stages.push(stage);
  const { json } = await stage.presign({ sha256: sha256Of(greeting) });
  const complete = async () => (await stage.post(`/uploads/${json.id}/complete`)).json;
  await put(memory, `upload_${json.id}`, Buffer.from("hello!"));
  expect(await complete()).toMatchObject({ status: 413, code: "FILE_TOO_LARGE", limit: 5 });
  await put(memory, `upload_${json.id}`, Buffer.from("hell"));
  expect(await complete()).toMatchObject({ status: 409, code: "UPLOAD_INCOMPLETE" });
  expect(await stage.keys()).toEqual([]);
  await put(memory, `upload_${json.id}`, Buffer.from("hallo"));
  expect(await complete()).toMatchObject({ status: 422, code: "CHECKSUM_MISMATCH" });
  expect(await complete()).toMatchObject({ status: 422, code: "CHECKSUM_MISMATCH" });
  expect(await stage.keys()).toEqual([]);
});

describe("other bytes in the place of those that were looked into", () => {
  test("are shown to nobody", async () => {
    const stage = await open();
    const presigned = await stage.presign();
    const { id, fileUrl } = presigned.json;
    await sendToStore(presigned);
    await stage.post(`/uploads/${id}/complete`);
    expect((await stage.get(fileUrl)).status).toBe(200);
    expect(await sendToStore(presigned, Buffer.from("hallo"))).toBe(200);
    expect((await stage.get(fileUrl)).status).toBe(404);
    expect((await stage.send("HEAD", fileUrl, { headers: as("ada") })).status).toBe(404);
    expect((await stage.send("GET", fileUrl, { headers: { ...as("ada"), range: "bytes=0-1" } })).status).toBe(404);
  });

  test("are refused where they come while somebody looks", async () => {
    let replace = async () => {};
    const slow: FileCheck = {
      name: "slow",
      needs: "file",
      async run({ read }) {
        for await (const chunk of read()) expect(chunk.length).toBe(5);
        await replace();
        return pass;
      },
    };
    const stage = await open({ uploads: { checks: [slow] } });
    const presigned = await stage.presign();
    await sendToStore(presigned);
    replace = async () => void (await sendToStore(presigned, Buffer.from("hallo")));
    expect((await stage.post(`/uploads/${presigned.json.id}/complete`)).json).toMatchObject({ status: 422, code: "CHECKSUM_MISMATCH" });
    expect(await stage.keys()).toEqual([]);
  });
});

test("many who complete at once have one answer, and one onReady", async () => {
  const ready: string[] = [];
  const stage = await open({ uploads: { onReady: ({ id }) => void ready.push(id) } });
  const presigned = await stage.presign();
  await sendToStore(presigned);
  const answers = await Promise.all(Array.from({ length: 5 }, () => stage.post(`/uploads/${presigned.json.id}/complete`)));
  for (const { status } of answers) expect([201, 202]).toContain(status);
  expect(answers.some(({ status }) => status === 201)).toBe(true);
  expect((await stage.post(`/uploads/${presigned.json.id}/complete`)).status).toBe(201);
  expect(ready).toEqual([presigned.json.id]);
});

test("whoever only looks is not told that a scanner is down", async () => {
  let isDown = true;
  const scan: FileCheck = { name: "scan", needs: "file", run: async () => (isDown ? reject("SCAN_UNAVAILABLE", "The scanner is down.") : pass) };
  const stage = await open({ uploads: { checks: [scan] } });
  const presigned = await stage.presign();
  await sendToStore(presigned);
  expect((await stage.get(`/uploads/${presigned.json.id}`)).json).toMatchObject({ status: "processing" });
  isDown = false;
  stage.clock.advance(120_000);
  await stage.sweep();
  expect((await stage.get(presigned.json.fileUrl)).text).toBe("hello");
});

test("a process that dies while it completes leaves what another completes", async () => {
  for (const how of ["before", "after"] as const) {
    for (let dieAfter = 1, isOver = false; !isOver; dieAfter += 1) {
      const [storage, memory] = [memoryStorage(), memoryBlobs()];
      const blobs: BlobStore = { ...memory, presignPut: async (key) => ({ url: `https://store.example.com/${key}`, method: "PUT", headers: {} }) };
      const sound = await presignStage({ storage, blobs });
      stages.push(sound);
      const { json } = await sound.presign();
      await put(memory, `upload_${json.id}`, greeting);
      const dying = faultyStorage(storage, { dieAfter, how });
      const stage = await presignStage({ storage: dying, blobs: faultyBlobs(blobs, dying) }, sound.clock);
      stages.push(stage);
      const { status } = await stage.post(`/uploads/${json.id}/complete`);
      isOver = !dying.dead;
      expect(status, `${how} ${dieAfter}`).toBe(isOver ? 201 : 500);
      await sound.post(`/uploads/${json.id}/complete`);
      sound.clock.advance(600_000);
      await sound.sweep();
      expect((await sound.get(json.fileUrl)).text, `${how} ${dieAfter}`).toBe("hello");
      expect(await sound.use()).toEqual({ open: 0, bytes: 5 });
      expect(dieAfter).toBeLessThan(50);
    }
  }
});

describe("a file in parts", () => {
  const size = 101 * mebibyte;
  const wanted = { filename: "large.bin", contentType: "application/octet-stream", size, multipart: true };

  test("is sent to the store, listed, and completed", async () => {
    const stage = await open();
    const { status, json } = await stage.presign(wanted);
    expect(status).toBe(201);
    const { id, partSize, parts } = json;
    const last = Math.ceil(size / partSize);
    expect(json).toMatchObject({ uploadId: id, method: "PUT", headers: {}, expiresIn: 900, fileUrl: `/files/${id}` });
    expect(json.uploadUrl).toBeUndefined();
    expect(parts.map(({ n }: { n: number }) => n)).toEqual(Array.from({ length: last }, (_, index) => index + 1));
    expect(await stage.use()).toEqual({ open: 1, bytes: size });
    const bytes = manyBytes(size);
    const send = (url: string, n: number) =>
      sendToStore(
        { json: { uploadUrl: url, method: "PUT", headers: {} } } as Parameters<typeof sendToStore>[0],
        bytes.subarray((n - 1) * partSize, n * partSize),
      );
    for (const { n, url } of parts.slice(0, -1)) expect(await send(url, n)).toBe(200);
    expect((await stage.post(`/uploads/${id}/complete`)).json).toMatchObject({ status: 409, code: "UPLOAD_INCOMPLETE" });
    const listed = (await stage.get(`/uploads/${id}/parts`)).json;
    expect(listed).toMatchObject({ uploadId: id, partSize, size });
    expect(listed.parts).toHaveLength(last - 1);
    expect(listed.parts[0]).toEqual({ n: 1, size: partSize, etag: expect.any(String) });
    // The address of the last part has ended meanwhile.
    stage.clock.advance(3_000_000);
    expect(await send(parts.at(-1).url, last)).toBe(403);
    const renewed = await stage.post(`/uploads/${id}/parts`, { numbers: [last, last] });
    expect(renewed.json).toMatchObject({ uploadId: id, partSize, expiresIn: 900, parts: [{ n: last }] });
    expect(Date.parse(renewed.json.expiresAt)).toBeGreaterThan(stage.clock.now() + 899_000);
    expect(await send(renewed.json.parts[0].url, last)).toBe(200);
    // It is not given up before an hour has gone by since its newest address.
    stage.clock.advance(3_000_000);
    expect(await stage.sweep()).toBe(0);
    const done = await stage.post(`/uploads/${id}/complete`);
    expect({ status: done.status, json: done.json }).toMatchObject({ status: 201, json: { status: "ready", size, sha256: sha256Of(bytes) } });
    expect((await stage.post(`/uploads/${id}/complete`)).json).toMatchObject({ id, status: "ready" });
    expect((await stage.post(`/uploads/${id}/parts`, { numbers: [1] })).json).toMatchObject({ status: 409, code: "ALREADY_UPLOADED" });
    expect((await stage.get(`/uploads/${id}/parts`)).status).toBe(409);
    const tail = await stage.send("GET", json.fileUrl, { headers: { ...as("ada"), range: "bytes=-5" } });
    expect(tail.bytes.equals(bytes.subarray(-5))).toBe(true);
  });

  test("is aborted by a deletion, and given up when nobody completes it", async () => {
    const stage = await open();
    const [deleted, forgotten] = [(await stage.presign(wanted)).json, (await stage.presign(wanted)).json];
    expect((await stage.send("DELETE", `/uploads/${deleted.id}`, { headers: as("ada") })).status).toBe(204);
    expect(await stage.keys()).toEqual([`upload_${forgotten.id}`]);
    expect((await stage.post(`/uploads/${deleted.id}/parts`, { numbers: [1] })).status).toBe(410);
    stage.clock.advance(900_000 + 3_600_000);
    await stage.sweep();
    expect(await stage.keys()).toEqual([]);
    expect(await stage.use()).toEqual({ open: 0, bytes: 0 });
  });

  test("leaves nothing in the store where the quota has no room", async () => {
    const stage = await open({ uploads: { quotaBytes: size - 1 } });
    expect((await stage.presign(wanted)).json.code).toBe("QUOTA_EXCEEDED");
    expect(await stage.keys()).toEqual([]);
  });

  test("has more than a hundred mebibytes", async () => {
    const stage = await open();
    expect((await stage.presign({ ...wanted, size: 100 * mebibyte })).json).toMatchObject({ status: 422, errors: [{ pointer: "/multipart" }] });
    expect((await stage.presign({ ...wanted, size: 100 * mebibyte + 1 })).status).toBe(201);
  });

  test("has a first page of addresses, and others when they are asked for", async () => {
    const stage = await open();
    const { json } = await stage.presign({ ...wanted, size: 5 * 1_024 * mebibyte });
    const last = Math.ceil(json.id.length > 0 ? (5 * 1_024 * mebibyte) / json.partSize : 0);
    expect(last).toBeGreaterThan(100);
    expect(json.parts).toHaveLength(100);
    const more = await stage.post(`/uploads/${json.id}/parts`, { numbers: [101, last] });
    expect(more.json.parts.map(({ n }: { n: number }) => n)).toEqual([101, last]);
    const at = (...numbers: unknown[]) => stage.post(`/uploads/${json.id}/parts`, { numbers });
    for (const [numbers, pointer] of [
      [[], "/numbers"],
      [[0], "/numbers/0"],
      [[1, last + 1], "/numbers/1"],
      [["1"], "/numbers/0"],
      [[1.5], "/numbers/0"],
    ] as const)
      expect((await at(...numbers)).json).toMatchObject({ status: 422, code: "VALIDATION_FAILED", errors: [{ pointer }] });
    expect((await at(...Array.from({ length: 1_001 }, () => 1))).json.errors).toMatchObject([{ pointer: "/numbers" }]);
    expect((await stage.post(`/uploads/${json.id}/parts`, { numbers: [1], number: 2 })).json.errors).toMatchObject([{ pointer: "/number" }]);
    expect((await stage.post(`/uploads/${json.id}/parts`, [1])).json.errors).toMatchObject([{ pointer: "" }]);
  });

  test("has addresses for many who ask at once", async () => {
    const stage = await open();
    const { json } = await stage.presign(wanted);
    stage.clock.advance(60_000);
    const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => stage.post(`/uploads/${json.id}/parts`, { numbers: [index + 1] })));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
  });
});
