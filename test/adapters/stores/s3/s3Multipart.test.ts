// @long

import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BufferPool } from "../../../../adapters/stores/s3/bufferPool.js";
import { PartBuffer } from "../../../../adapters/stores/s3/partBuffer.js";
import { partBytesFor, partsAtOnce } from "../../../../adapters/stores/s3/partBytes.js";
import { Unavailable } from "../../../../src/ground/storage/errors.js";
import { bytesOf } from "../blobs/blobContents.js";
import { fetchClient } from "./bucket/fetchClient.js";
import { failureOf, listed, manyBytes, mebibyte, openStage, put } from "./bucket/stage.js";

const gibibyte = 1_024 * mebibyte;

test.each([
  [undefined, 8, 4],
  [0, 8, 4],
  [80_000 * mebibyte, 8, 4],
  [80_000 * mebibyte + 1, 9, 3],
  [100 * gibibyte, 11, 2],
  [5_120 * gibibyte, 525, 1],
])("of a blob of %s bytes a part has %s MiB, and %s are on their way at once", (size, mebibytes, atOnce) => {
  expect(partBytesFor(size)).toBe(mebibytes * mebibyte);
  expect(partsAtOnce(mebibytes * mebibyte)).toBe(atOnce);
  expect(Math.ceil((size ?? 0) / partBytesFor(size))).toBeLessThanOrEqual(10_000);
});

test("a part is the bytes that it took, however they came, also in memory that others have used", () => {
  const lengths = fc.array(fc.oneof(fc.nat(20), fc.nat(70_000), fc.nat(1_500_000)), { maxLength: 12 });
  const memory = new BufferPool();
  const property = fc.property(lengths, fc.integer({ min: 1, max: 3 * mebibyte }), (lengths, limit) => {
    const buffer = new PartBuffer(limit, memory);
    const chunks = lengths.map((length, index) => Buffer.alloc(length, index + 1));
    const taken = chunks.map((chunk) => chunk.subarray(0, buffer.take(chunk)));
    const part = buffer.finish();
    const bytes = Buffer.concat(chunks).subarray(0, limit);
    expect(Buffer.concat(taken).equals(bytes) && Buffer.concat(part.chunks).equals(bytes)).toBe(true);
    expect([part.length, part.sha256]).toEqual([bytes.length, createHash("sha256").update(bytes).digest("hex")]);
    part.release();
  });
  fc.assert(property, { numRuns: 40 });
});

describe("how a blob goes up", () => {
  test.each([
    ["that is announced to be small in one request", 5, 5, ["PutObject", "HeadObject"]],
    ["that is announced to be empty in one request", 0, 0, ["PutObject", "HeadObject"]],
    ["that is announced to be a part long in one request", 8 * mebibyte, 8 * mebibyte, ["PutObject", "HeadObject"]],
    ["that nothing is known of in parts", 5, undefined, ["CreateMultipartUpload", "UploadPart", "CompleteMultipartUpload", "HeadObject"]],
    [
      "that is empty, to everybody's surprise, in parts",
      0,
      9 * mebibyte,
      ["CreateMultipartUpload", "UploadPart", "CompleteMultipartUpload", "HeadObject"],
    ],
    [
      "that outgrows what was announced in parts",
      16 * mebibyte + 1,
      1,
      ["CreateMultipartUpload", "UploadPart", "UploadPart", "UploadPart", "CompleteMultipartUpload", "HeadObject"],
    ],
  ])("one %s", async (_name, length, size, expected) => {
    const { store, calls } = await openStage({}, { equalParts: true });
    const bytes = manyBytes(length);
    const stat = await put(store, "blob", bytes, { contentType: "text/csv", ...(size === undefined ? {} : { size }) });
    expect(calls()).toEqual(expected);
    expect(stat).toMatchObject({ size: length, contentType: "text/csv" });
    expect(await store.stat("blob")).toEqual(stat);
    expect((await bytesOf(store, "blob")).equals(bytes)).toBe(true);
  });

  test("in parts of one size, at most four of them on their way, through a client of one's own", async () => {
    let [sending, most] = [0, 0];
    const client: typeof fetchClient = async (request) => {
      const isPart = request.url.searchParams.has("partNumber");
      if (isPart) most = Math.max(most, ++sending);
      return fetchClient(request).finally(() => isPart && sending--);
    };
    const { store, inside } = await openStage({ client }, { equalParts: true });
    const bytes = manyBytes(39 * mebibyte);
    const { etag } = await put(store, "large", bytes);
    expect(etag).toMatch(/^[0-9a-f]{32}-5$/);
    expect(inside.objects.get("large")?.bytes.equals(bytes)).toBe(true);
    expect((await bytesOf(store, "large")).equals(bytes)).toBe(true);
    expect([most > 1, most <= 4]).toEqual([true, true]);
  });
});

describe("an upload that has not come to its end", () => {
  test("is listed with what has arrived of it, and is gone when it is aborted, whatever is on its way", async () => {
    const { store, inside, fake } = await openStage();
    const writer = await store.open("large");
    await writer.write(manyBytes(9 * mebibyte));
    await expect.poll(() => listed(store)).toMatchObject([{ key: "large", size: 8 * mebibyte, complete: false }]);
    expect(await listed(store, "", new Date(Date.now() - 60_000))).toEqual([]);
    fake.trouble = ({ name }) => (name === "UploadPart" ? "stall" : undefined);
    await writer.write(manyBytes(20 * mebibyte));
    await writer.abort();
    expect([inside.uploads.size, inside.objects.size]).toEqual([0, 0]);
  });

  test("is found on any page", async () => {
    const { store, inside } = await openStage({}, { pageSize: 3 });
    for (let index = 0; index < 10; index++) await store.open(`many-${index % 5}`);
    await store.open("other");
    expect(inside.uploads.size).toBe(11);
    expect((await listed(store, "many")).map(({ key }) => key).sort()).toEqual(["many-0", "many-1", "many-2", "many-3", "many-4"]);
    for (let index = 0; index < 5; index++) expect(await store.delete(`many-${index}`)).toBe(true);
    expect([...inside.uploads.values()].map(({ key }) => key)).toEqual(["other"]);
  });

  test("goes with one of its parts that S3 does not take, and says so with the next write or the commit", async () => {
    const { store, inside, fake } = await openStage();
    fake.trouble = ({ name }) => (name === "UploadPart" ? "refuse" : undefined);
    const writer = await store.open("large");
    const failure = await failureOf(writer.write(manyBytes(9 * mebibyte)).then(() => writer.commit()));
    expect(failure).toEqual(new Unavailable('S3 cannot answer UploadPart of "large" now: 503 SlowDown. Try again later.'));
    expect([inside.uploads.size, inside.objects.size]).toEqual([0, 0]);
    await expect(writer.write(Buffer.from("x"))).rejects.toThrow("Write it again.");
  });

  test("is left to its next writer by one that is deleted elsewhere", async () => {
    const { store, inside, fake } = await openStage();
    const writer = await store.open("large");
    await writer.write(manyBytes(mebibyte));
    inside.uploads.clear();
    fake.calls.length = 0;
    await expect(writer.commit()).rejects.toThrow(new Unavailable('The blob "large" was deleted or ended while it was written. Write it again.'));
    expect(inside.objects.size).toBe(0);
  });
});

describe("a commit whose answer is lost", () => {
  test("has happened, when the object is there", async () => {
    const { store, fake, calls } = await openStage();
    let lost = 0;
    fake.trouble = ({ name }) => (name === "CompleteMultipartUpload" && lost++ === 0 ? "lose" : undefined);
    const bytes = manyBytes(9 * mebibyte);
    const stat = await put(store, "large", bytes);
    expect(calls().filter((name) => name === "CompleteMultipartUpload")).toHaveLength(2);
    expect(await store.stat("large")).toEqual(stat);
    expect((await bytesOf(store, "large")).equals(bytes)).toBe(true);
  });

  test("has not, when there is none, or one of another size", async () => {
    for (const other of [undefined, Buffer.from("other")]) {
      const { store, fake, inside } = await openStage();
      if (other !== undefined) await put(store, "large", other);
      const before = inside.objects.get("large");
      let lost = 0;
      fake.trouble = ({ name }) => {
        if (name !== "CompleteMultipartUpload" || lost++ > 0) return undefined;
        inside.uploads.clear();
        return "drop";
      };
      await expect(put(store, "large", manyBytes(1_000))).rejects.toThrow(Unavailable);
      expect(inside.objects.get("large")).toBe(before);
    }
  });

  test("is tried again where the answer was 200 and then an error", async () => {
    const { store, fake, calls } = await openStage();
    let failed = 0;
    fake.trouble = ({ name }) => (name === "CompleteMultipartUpload" && failed++ < 2 ? "fail" : undefined);
    await put(store, "blob", Buffer.from("hello"));
    expect(calls().filter((name) => name === "CompleteMultipartUpload")).toHaveLength(3);
    expect(await bytesOf(store, "blob")).toEqual(Buffer.from("hello"));
  });
});
