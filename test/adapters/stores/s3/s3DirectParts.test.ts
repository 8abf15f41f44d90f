// @slow

import type { S3Location } from "restwright/s3";
import { describe, expect, test } from "vitest";
import { partBytesFor } from "../../../../adapters/stores/s3/partBytes.js";
import type { DirectParts, Draft } from "../../../../src/ground/storage/files/blobs.js";
import { bytesOf } from "../blobs/blobContents.js";
import type { FakeOptions } from "./bucket/fake.js";
import { listed, manyBytes, mebibyte, openStage, put } from "./bucket/stage.js";

const bytes = manyBytes(17 * mebibyte);
const part = (n: number) => bytes.subarray((n - 1) * 8 * mebibyte, n * 8 * mebibyte);

async function setUp(options: Partial<S3Location> = {}, fakeOptions: FakeOptions = {}) {
  const stage = await openStage(options, { pageSize: 2, ...fakeOptions });
  const direct = stage.store.directParts;
  if (direct === undefined) throw new Error("The store takes no parts of clients.");
  const sending = async (draft: Draft, n: number, body: Buffer): Promise<number> => {
    const [presigned] = await direct.presign("large", draft, [n], { expiresIn: 60 });
    return send(presigned?.url ?? "", body);
  };
  return { ...stage, direct, sending };
}

async function send(url: string, body: Buffer, method = "PUT"): Promise<number> {
  const { status } = await fetch(url, { method, body });
  return status;
}

async function sendAll(direct: DirectParts, draft: Draft): Promise<void> {
  const presigned = await direct.presign("large", draft, [3, 1, 2], { expiresIn: 60 });
  expect(presigned.map(({ n }) => n)).toEqual([3, 1, 2]);
  for (const { n, url } of presigned) expect(await send(url, part(n))).toBe(200);
}

describe("parts that clients send", () => {
  test("become a blob, in the order of their numbers, and answer the same when they are asked for it again", async () => {
    const { store, direct, inside } = await setUp({ prefix: "files/" }, { equalParts: true });
    const draft = await direct.begin("large", { contentType: "video/mp4", size: bytes.length });
    expect(draft).toMatchObject({ partBytes: 8 * mebibyte, size: 0 });
    expect(await direct.list("large", draft)).toEqual([]);
    expect(await direct.complete("large", draft, bytes.length)).toBeUndefined();
    await sendAll(direct, draft);
    const lengths = [1, 2, 3].map((n) => ({ n, size: part(n).length, etag: expect.stringMatching(/^[0-9a-f]{32}$/) }));
    expect(await direct.list("large", draft)).toEqual(lengths);
    expect(await listed(store)).toMatchObject([{ key: "large", size: bytes.length, complete: false }]);
    expect(await store.stat("large")).toBeUndefined();
    const stat = await direct.complete("large", draft, bytes.length);
    expect(stat).toMatchObject({ size: bytes.length, contentType: "video/mp4" });
    expect(await store.stat("large")).toEqual(stat);
    expect((await bytesOf(store, "large")).equals(bytes)).toBe(true);
    for (let turn = 0; turn < 2; turn++) expect(await direct.complete("large", draft, bytes.length)).toEqual(stat);
    expect(await direct.complete("large", draft, bytes.length + 1)).toBeUndefined();
    expect(await direct.list("large", draft)).toEqual([]);
    expect(inside.uploads.size).toBe(0);
  });

  test("become none while one is missing, or is of another length, and may be sent again", async () => {
    const { store, direct, sending } = await setUp();
    const before = await put(store, "large", manyBytes(bytes.length));
    const draft = await direct.begin("large", { size: bytes.length });
    for (const n of [1, 3]) await sending(draft, n, part(n));
    expect(await direct.complete("large", draft, bytes.length)).toBeUndefined();
    await sending(draft, 2, part(3));
    expect(await direct.complete("large", draft, bytes.length)).toBeUndefined();
    expect(await store.stat("large")).toEqual(before);
    await sending(draft, 2, part(2));
    expect(await direct.complete("large", draft, bytes.length)).toMatchObject({ size: bytes.length, contentType: undefined });
    expect((await bytesOf(store, "large")).equals(bytes)).toBe(true);
  });

  test("become none where S3 takes no such parts, though they are as long together", async () => {
    const { store, direct, sending } = await setUp();
    const draft = await direct.begin("large", { size: 10 });
    for (const n of [1, 2]) expect(await sending(draft, n, Buffer.from("12345"))).toBe(200);
    expect(await direct.complete("large", draft, 10)).toBeUndefined();
    expect(await store.stat("large")).toBeUndefined();
  });

  test("of no bytes become a blob of none", async () => {
    const { store, direct } = await setUp();
    const draft = await direct.begin("large", { size: 0 });
    expect(await direct.complete("large", draft, 0)).toMatchObject({ size: 0 });
    expect(await bytesOf(store, "large")).toEqual(Buffer.alloc(0));
  });

  test("are gone with the blob that they belong to", async () => {
    const { store, direct, sending } = await setUp();
    const draft = await direct.begin("large", { size: bytes.length });
    await sending(draft, 1, part(1));
    expect(await store.delete("large")).toBe(true);
    expect(await direct.list("large", draft)).toEqual([]);
    expect(await sending(draft, 2, part(2))).toBe(404);
    expect(await direct.complete("large", draft, bytes.length)).toBeUndefined();
    expect(await listed(store)).toEqual([]);
  });

  test("are a blob where only the answer was lost that said so", async () => {
    const { direct, fake, sending } = await setUp();
    const draft = await direct.begin("large", { size: 5 });
    await sending(draft, 1, Buffer.from("hello"));
    fake.trouble = ({ name }) => (name === "CompleteMultipartUpload" ? "lose" : undefined);
    expect(await direct.complete("large", draft, 5)).toMatchObject({ size: 5 });
  });
});

describe("an address for a part", () => {
  test("is of use for this part and nothing else, and for its time", async () => {
    let nowMs = Date.now();
    const { direct, fake, inside } = await setUp({ clock: { now: () => nowMs } }, { now: () => nowMs });
    const draft = await direct.begin("large", { size: bytes.length });
    const [one] = await direct.presign("large", draft, [1], { expiresIn: 60 });
    const url = one?.url ?? "";
    const refused: readonly [string, string?][] = [
      [url.replace("partNumber=1", "partNumber=2")],
      [url.replace(/uploadId=[^&]*/, "uploadId=other")],
      [url.replace("/large", "/other")],
      [url.replace("Expires=60", "Expires=600")],
      [`${url}&partNumber=1`],
      [url.replace(/partNumber=1&/, "")],
      [url, "DELETE"],
    ];
    for (const [address, method] of refused) {
      expect(address !== url || method === "DELETE").toBe(true);
      expect(await send(address, Buffer.from("x"), method)).toBe(403);
    }
    expect(await send(url, Buffer.from("x"))).toBe(200);
    nowMs += 61_000;
    expect(await send(url, Buffer.from("y"))).toBe(403);
    expect(fake.calls).toEqual(["CreateMultipartUpload", "UploadPart"]);
    expect(inside.objects.size).toBe(0);
  });

  test("begins where clients reach the endpoint, and signs nothing but the host", async () => {
    const { direct } = await setUp({ publicEndpoint: "https://files.example.com" });
    const draft = await direct.begin("large", { size: 1 });
    const [one] = await direct.presign("large", draft, [10_000], { expiresIn: 604_800 });
    expect(one?.url).toMatch(
      /^https:\/\/files\.example\.com\/bucket-1\/large\?X-Amz-Algorithm=.*X-Amz-SignedHeaders=host&partNumber=10000&uploadId=/,
    );
  });

  test("is not made for what can be no part", async () => {
    const { direct } = await setUp();
    const draft = await direct.begin("large", { size: 1 });
    for (const n of [0, 10_001, 1.5, Number.NaN])
      await expect(direct.presign("large", draft, [1, n], { expiresIn: 60 })).rejects.toThrow(`Part numbers are 1 to 10000; got ${n}.`);
    await expect(direct.presign("large", draft, [1], { expiresIn: 0 })).rejects.toThrow("1 to 604800 seconds");
    await expect(direct.presign("large", { state: "{}", size: 0 }, [1], { expiresIn: 60 })).rejects.toThrow(TypeError);
    await expect(direct.presign("a/b", draft, [1], { expiresIn: 60 })).rejects.toThrow(TypeError);
    await expect(direct.begin("large", { size: 1, contentType: "text/ü" })).rejects.toThrow(TypeError);
  });
});

test("the length of parts lets a blob of any size be sent", async () => {
  const { direct } = await setUp();
  for (const size of [0, 1, 80_000 * mebibyte + 1, 5_120 * 1_024 * mebibyte]) {
    const { partBytes } = await direct.begin("large", { size });
    expect(partBytes).toBe(partBytesFor(size));
    expect(Math.ceil(size / partBytes)).toBeLessThanOrEqual(10_000);
  }
});

test("a state that the store never made is no upload", async () => {
  const { direct } = await setUp();
  for (const state of ["", "{", "null", "[]", "{}"]) {
    expect(await direct.list("large", { state, size: 0 })).toEqual([]);
    expect(await direct.complete("large", { state, size: 0 }, 0)).toBeUndefined();
  }
});
