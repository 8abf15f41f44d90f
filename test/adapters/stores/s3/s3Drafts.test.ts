// @long

import type { S3Location } from "restwright/s3";
import { describe, expect, test } from "vitest";
import { Unavailable } from "../../../../src/ground/storage/errors.js";
import type { BlobDrafts, Draft, DraftWriter } from "../../../../src/ground/storage/files/blobs.js";
import { bytesOf } from "../blobs/blobContents.js";
import type { FakeOptions } from "./bucket/fake.js";
import { fetchClient } from "./bucket/fetchClient.js";
import { failureOf, listed, manyBytes, mebibyte, openStage, put } from "./bucket/stage.js";

const tailName = /^mine\.[A-Za-z0-9_-]{22}\.tail$/;

async function setUp(options: Partial<S3Location> = {}, fakeOptions: FakeOptions = {}) {
  const stage = await openStage(options, fakeOptions);
  const { drafts } = stage.store;
  if (drafts === undefined) throw new Error("The store keeps no drafts.");
  const names = () => [...stage.inside.objects.keys()];
  return { ...stage, drafts, names };
}

async function resume(drafts: BlobDrafts, draft: Draft, isContested = false): Promise<DraftWriter> {
  const writer = await drafts.resume("mine", draft, { isContested });
  if (writer === undefined) throw new Error("The draft is gone.");
  return writer;
}

async function append(drafts: BlobDrafts, draft: Draft, bytes: Buffer, isContested = false): Promise<Draft> {
  const writer = await resume(drafts, draft, isContested);
  for (let at = 0; at < bytes.length; at += 300_000) await writer.write(bytes.subarray(at, at + 300_000));
  const flushed = await writer.flush();
  await writer.close();
  return flushed;
}

describe("how a draft goes up", () => {
  test("in parts of one size, and a tail that becomes the last of them", async () => {
    const { store, drafts, calls, names } = await setUp({}, { equalParts: true });
    const bytes = manyBytes(20 * mebibyte);
    const begun = await drafts.begin("mine", { contentType: "text/csv" });
    expect(calls()).toEqual(["CreateMultipartUpload"]);
    const first = await append(drafts, begun, bytes.subarray(0, 9 * mebibyte));
    expect(calls()).toEqual(["ListParts", "UploadPart", "PutObject", "ListParts"]);
    expect(names()).toEqual([expect.stringMatching(tailName)]);
    const second = await append(drafts, first, bytes.subarray(9 * mebibyte));
    expect(calls()).toEqual(["ListParts", "HeadObject", "GetObject", "UploadPart", "PutObject", "ListParts"]);
    expect(names()).toHaveLength(2);
    expect(second.size).toBe(20 * mebibyte);
    const stat = await drafts.complete("mine", second);
    expect(calls()).toEqual([
      ...["HeadObject", "GetObject", "UploadPart", "CompleteMultipartUpload", "HeadObject"],
      ...["ListMultipartUploads", "ListObjectsV2", "DeleteObject", "DeleteObject"],
    ]);
    expect(names()).toEqual(["mine"]);
    expect(stat).toMatchObject({ size: 20 * mebibyte, contentType: "text/csv", etag: expect.stringMatching(/-3$/) });
    expect((await bytesOf(store, "mine")).equals(bytes)).toBe(true);
  });

  test("without a tail where the last part is full", async () => {
    const { drafts, names, calls } = await setUp({}, { equalParts: true });
    const draft = await append(drafts, await drafts.begin("mine"), manyBytes(16 * mebibyte));
    expect([draft.size, names()]).toEqual([16 * mebibyte, []]);
    calls();
    expect(await drafts.complete("mine", draft)).toMatchObject({ size: 16 * mebibyte, etag: expect.stringMatching(/-2$/) });
    expect(calls()).toEqual(["CompleteMultipartUpload", "HeadObject", "ListMultipartUploads", "ListObjectsV2"]);
  });

  test("in parts that leave room for takeovers, at most four of them on their way", async () => {
    let [sending, most] = [0, 0];
    const client: typeof fetchClient = async (request) => {
      const isPart = request.url.searchParams.has("partNumber");
      if (isPart) most = Math.max(most, ++sending);
      return fetchClient(request).finally(() => isPart && sending--);
    };
    const { drafts, inside } = await setUp({ client });
    const draft = await append(drafts, await drafts.begin("mine", { size: 64_001 * mebibyte }), manyBytes(46 * mebibyte));
    const [upload] = inside.uploads.values();
    expect([...(upload?.parts.values() ?? [])].map(({ bytes }) => bytes.length)).toEqual(Array.from({ length: 5 }, () => 9 * mebibyte));
    expect(draft.size).toBe(46 * mebibyte);
    expect([most > 1, most <= 4]).toEqual([true, true]);
  });

  test("not at all with a type that no header can carry", async () => {
    const { drafts, calls } = await setUp();
    await expect(drafts.begin("mine", { contentType: "text/ü" })).rejects.toThrow(TypeError);
    expect(calls()).toEqual([]);
  });
});

describe("a tail", () => {
  test("is kept until the draft behind it is resumed, and not sent again where nothing was added", async () => {
    const { drafts, names, calls } = await setUp();
    const writer = await resume(drafts, await drafts.begin("mine"));
    const flushed: Draft[] = [];
    for (const word of ["a", "b", "c"]) {
      await writer.write(Buffer.from(word));
      flushed.push(await writer.flush());
    }
    calls();
    expect(await writer.flush()).toEqual(flushed[2]);
    expect(calls()).toEqual(["ListParts"]);
    await writer.close();
    expect(names()).toHaveLength(3);
    await (await resume(drafts, flushed[2] ?? { state: "", size: 0 })).close();
    expect(names()).toHaveLength(1);
  });

  test("is no blob, neither for its store nor for another", async () => {
    const { store, drafts, names } = await setUp({ prefix: "shop/" });
    await put(store, "mine-2", Buffer.from("whole"));
    await append(drafts, await drafts.begin("mine"), Buffer.from("tail"));
    expect(names()).toContainEqual(expect.stringMatching(/^shop\/mine\.[\w-]+\.tail$/));
    expect((await listed(store)).map(({ key, size, complete }) => ({ key, size, complete }))).toEqual([
      { key: "mine-2", size: 5, complete: true },
      { key: "mine", size: 4, complete: false },
    ]);
    expect(await store.delete("min")).toBe(false);
    expect(await store.delete("mine")).toBe(true);
    expect(names()).toEqual(["shop/mine-2"]);
  });

  test("that comes when its draft is gone is listed and deleted like one", async () => {
    const { store, inside, drafts, names } = await setUp();
    await append(drafts, await drafts.begin("mine"), Buffer.from("tail"));
    inside.uploads.clear();
    const [listing] = await listed(store);
    expect(listing).toMatchObject({ key: "mine", size: 4, complete: false });
    expect(await listed(store, "", listing?.lastModified)).toEqual([]);
    expect(await store.delete("mine")).toBe(true);
    expect(names()).toEqual([]);
    expect(await store.delete("mine")).toBe(false);
  });

  test("does not make a whole blob a leftover, whatever comes between them in a listing", async () => {
    const { store, drafts } = await setUp({}, { pageSize: 1 });
    for (const key of ["mine", "mine-2", "m"]) await put(store, key, Buffer.from("whole"));
    for (const key of ["mine", "mine-3"]) {
      const writer = await drafts.resume(key, await drafts.begin(key));
      await writer?.write(Buffer.from("tail"));
      await writer?.flush();
    }
    expect((await listed(store)).map(({ key, complete }) => [key, complete])).toEqual([
      ["m", true],
      ["mine", true],
      ["mine-2", true],
      ["mine-3", false],
    ]);
  });

  test("goes when its draft is deleted while it is written", async () => {
    for (const moment of ["before", "while"]) {
      const { store, fake, inside, drafts, names } = await setUp();
      const writer = await resume(drafts, await drafts.begin("mine"));
      await writer.write(Buffer.from("tail"));
      fake.trouble = ({ name }) => {
        if (moment === "while" && name === "PutObject") inside.uploads.clear();
        return undefined;
      };
      if (moment === "before") await store.delete("mine");
      await expect(writer.flush()).rejects.toThrow(new Unavailable('The draft of "mine" was deleted or ended while it was written.'));
      expect([names(), inside.uploads.size]).toEqual([[], 0]);
    }
  });
});

describe("what fails", () => {
  test("leaves the draft that there was", async () => {
    const { store, fake, drafts } = await setUp();
    const bytes = manyBytes(10 * mebibyte);
    const draft = await append(drafts, await drafts.begin("mine"), bytes);
    for (const failing of ["UploadPart", "PutObject"]) {
      const writer = await resume(drafts, draft);
      fake.trouble = ({ name }) => (name === failing ? "refuse" : undefined);
      const failure = await failureOf(writer.write(manyBytes(9 * mebibyte)).then(() => writer.flush()));
      expect(failure).toBeInstanceOf(Unavailable);
      expect(String(failure)).toContain(`S3 cannot answer ${failing} of "mine`);
      fake.trouble = () => undefined;
      await writer.close();
    }
    const whole = await drafts.complete("mine", await append(drafts, draft, Buffer.from("end")));
    expect(whole?.size).toBe(10 * mebibyte + 3);
    expect((await bytesOf(store, "mine")).equals(Buffer.concat([bytes, Buffer.from("end")]))).toBe(true);
  });

  test("for a while may be flushed again", async () => {
    const { store, fake, drafts } = await setUp();
    const writer = await resume(drafts, await drafts.begin("mine"));
    await writer.write(Buffer.from("tail"));
    fake.trouble = ({ name }) => (name === "ListParts" ? "refuse" : undefined);
    await expect(writer.flush()).rejects.toThrow(Unavailable);
    fake.trouble = () => undefined;
    await writer.write(Buffer.from("+"));
    await drafts.complete("mine", await writer.flush());
    expect(await bytesOf(store, "mine")).toEqual(Buffer.from("tail+"));
    expect((await listed(store)).map(({ complete }) => complete)).toEqual([true]);
  });

  test("while numbers for parts are taken loses nothing of what was taken before", async () => {
    const { store, fake, drafts } = await setUp();
    const bytes = manyBytes(24 * mebibyte);
    const draft = await append(drafts, await drafts.begin("mine"), Buffer.from("begin"), true);
    const state: unknown = JSON.parse(draft.state);
    const used = { ...draft, state: JSON.stringify({ ...Object(state), window: { next: 63, end: 65 } }) };
    const writer = await resume(drafts, used);
    fake.trouble = ({ name }) => (name === "ListParts" ? "refuse" : undefined);
    await expect(writer.write(bytes)).rejects.toThrow(Unavailable);
    fake.trouble = () => undefined;
    const flushed = await writer.flush();
    expect(flushed.size).toBe(24 * mebibyte);
    await drafts.complete("mine", flushed);
    expect((await bytesOf(store, "mine")).equals(Buffer.concat([Buffer.from("begin"), bytes]).subarray(0, 24 * mebibyte))).toBe(true);
  });

  test("with a part also fails the flush, and what S3 does not answer does not hold up the end", async () => {
    const { fake, drafts } = await setUp();
    const draft = await drafts.begin("mine");
    const writer = await resume(drafts, draft);
    fake.trouble = ({ name }) => (name === "UploadPart" ? "stall" : undefined);
    await writer.write(manyBytes(9 * mebibyte));
    const flushing = failureOf(writer.flush());
    await writer.close();
    expect(await flushing).toBeInstanceOf(Unavailable);
  });
});

describe("a completion whose answer is lost", () => {
  test("has happened, and answers the same however often it is tried", async () => {
    for (const length of [0, 5, 9 * mebibyte]) {
      const { store, fake, drafts, names } = await setUp();
      const bytes = manyBytes(length);
      const draft = await append(drafts, await drafts.begin("mine"), bytes);
      fake.trouble = ({ name }) => (name === "CompleteMultipartUpload" ? "lose" : undefined);
      const stat = await drafts.complete("mine", draft);
      expect(stat).toEqual(await store.stat("mine"));
      expect(await drafts.complete("mine", draft)).toEqual(stat);
      expect(names()).toEqual(["mine"]);
      expect((await bytesOf(store, "mine")).equals(bytes)).toBe(true);
    }
  });

  test("is done again where it did not happen, and where only the tidying up is left", async () => {
    for (const failing of ["CompleteMultipartUpload", "ListObjectsV2", "DeleteObject"]) {
      const { store, fake, drafts, names } = await setUp();
      const draft = await append(drafts, await drafts.begin("mine"), Buffer.from("hello"));
      fake.trouble = ({ name }) => (name === failing ? "refuse" : undefined);
      await expect(drafts.complete("mine", draft)).rejects.toThrow(Unavailable);
      fake.trouble = () => undefined;
      expect(await drafts.complete("mine", draft)).toMatchObject({ size: 5 });
      expect(names()).toEqual(["mine"]);
      expect(await bytesOf(store, "mine")).toEqual(Buffer.from("hello"));
    }
  });

  test("has not happened where there is a blob of another size", async () => {
    const { store, inside, drafts } = await setUp();
    const draft = await append(drafts, await drafts.begin("mine"), Buffer.from("hello"));
    await put(store, "mine", Buffer.from("other size"));
    inside.uploads.clear();
    expect(await drafts.complete("mine", draft)).toBeUndefined();
    expect(await bytesOf(store, "mine")).toEqual(Buffer.from("other size"));
  });
});

test("who has a draft taken away may send as much as they like", async () => {
  const { store, drafts } = await setUp({}, { equalParts: true });
  const bytes = manyBytes(9 * mebibyte);
  const draft = await append(drafts, await drafts.begin("mine"), bytes);
  const stale = await resume(drafts, draft);
  const taken = await append(drafts, draft, bytes, true);
  for (let count = 0; count < 36; count++) await stale.write(Buffer.alloc(8 * mebibyte, count));
  await stale.flush();
  await stale.close();
  const last = await append(drafts, taken, bytes);
  await drafts.complete("mine", last);
  expect((await bytesOf(store, "mine")).equals(Buffer.concat([bytes, bytes, bytes]))).toBe(true);
});

test("a state that says other things than it was given leads to nothing", async () => {
  const { drafts, inside, names, calls } = await setUp();
  const draft = await append(drafts, await drafts.begin("mine"), Buffer.from("hello"));
  const { tail, ...state }: Readonly<Record<string, unknown>> = JSON.parse(draft.state);
  const id = "A".repeat(22);
  const other = await drafts.resume("mine-2", await drafts.begin("mine-2"));
  await other?.write(Buffer.from("other"));
  await other?.flush();
  const [before, uploads] = [names(), inside.uploads.size];
  const lies: readonly object[] = [
    ...[
      { uploadId: 1 },
      { contentType: 1 },
      { partBytes: "8388608" },
      { partBytes: 0 },
      { runs: 1 },
      { runs: [1] },
      { runs: [["1"]] },
      { runs: [[1, 2]] },
    ],
    ...[{ window: 1 }, { window: { next: 0, end: 33 } }, { window: { next: 1 } }, { tail: 1 }, { tail: { id, bytes: "5" } }],
    ...[
      { tail: { id: `/../mine-2.${id}`, bytes: 5 } },
      { oldTails: 1 },
      { oldTails: [1] },
      { oldTails: [`/../mine-2.${id}`] },
      { oldTails: [`${id}?x`] },
    ],
  ];
  calls();
  for (const lie of lies) {
    const changed = { state: JSON.stringify({ ...state, tail, ...lie }), size: 5 };
    for (const isContested of [false, true]) expect(await drafts.resume("mine", changed, { isContested }), changed.state).toBeUndefined();
    expect(await drafts.complete("mine", changed), changed.state).toBeUndefined();
  }
  expect([...new Set(calls())]).toEqual(["HeadObject"]);
  expect([names(), inside.uploads.size]).toEqual([before, uploads]);
});

test("a draft that was taken over so often that no numbers are left is gone for the next", async () => {
  const { drafts } = await setUp();
  const draft = await append(drafts, await drafts.begin("mine"), Buffer.from("hello"));
  const used = { ...draft, state: draft.state.replace(/"window":\{[^}]*\}/, '"window":{"next":9995,"end":9999}') };
  expect(await drafts.resume("mine", used, { isContested: true })).toBeUndefined();
  const last = await append(drafts, used, Buffer.from("+"));
  expect(await drafts.complete("mine", last)).toMatchObject({ size: 6 });
});

test("who adds to a draft whose numbers run out is refused, and finds it gone at last", async () => {
  const { drafts } = await setUp();
  let draft = await append(drafts, await drafts.begin("mine"), Buffer.from("hello"));
  draft = { ...draft, state: draft.state.replace(/"window":\{[^}]*\}/, '"window":{"next":9996,"end":9999}') };
  const bytes = manyBytes(25 * mebibyte);
  const ends: unknown[] = [];
  for (const mebibytes of [25, 9, 9, 9]) {
    const writer = await drafts.resume("mine", draft);
    try {
      await writer?.write(bytes.subarray(0, mebibytes * mebibyte));
      draft = (await writer?.flush()) ?? draft;
      ends.push(writer && draft.size);
    } catch (error) {
      ends.push(error);
    }
    await writer?.close();
  }
  expect(ends).toEqual([expect.any(Unavailable), 9 * mebibyte + 5, 18 * mebibyte + 5, undefined]);
});
