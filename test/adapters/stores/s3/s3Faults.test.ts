// @slow

import { S3Error, s3Blobs } from "restwright/s3";
import { describe, expect, test } from "vitest";
import { Unavailable } from "../../../../src/ground/storage/errors.js";
import { bytesOf } from "../blobs/blobContents.js";
import type { Trouble } from "./bucket/fake.js";
import { fetchClient } from "./bucket/fetchClient.js";
import { failureOf, listed, manyBytes, openStage, put } from "./bucket/stage.js";

describe.concurrent("what may pass is tried again", () => {
  test.each<Trouble>(["refuse", "drop", "lose", "stall"])("and passes: %s", async (trouble) => {
    const { store, fake } = await openStage({ timeoutMs: trouble === "stall" ? 80 : undefined });
    let count = 0;
    fake.trouble = () => (count++ % 3 === 0 ? trouble : undefined);
    await put(store, "small", Buffer.from("hello"), { size: 5 });
    await put(store, "large", Buffer.from("hello"));
    expect(await bytesOf(store, "small")).toEqual(await bytesOf(store, "large"));
    expect((await listed(store)).map(({ key }) => key)).toEqual(["large", "small"]);
    expect(await store.delete("small")).toBe(true);
  });

  test.each([
    ["refuse", 'S3 cannot answer PutObject of "a" now: 503 SlowDown. Try again later.'],
    ["drop", 'S3 cannot be reached for PutObject of "a": socket hang up. Check that it runs and that the endpoint is right.'],
    ["stall", /^S3 cannot be reached for PutObject of "a": no (?:response|byte) .* 8[01] ms\. Check that it runs and that the endpoint is right\.$/],
  ] as const)("and is Unavailable in the end: %s", async (trouble, message) => {
    const { store, fake, calls } = await openStage({ timeoutMs: trouble === "stall" ? 80 : undefined });
    fake.trouble = () => trouble;
    const failure = await failureOf(put(store, "a", Buffer.from("a"), { size: 1 }));
    expect(failure).toBeInstanceOf(Unavailable);
    expect(failure).toMatchObject({ message: message instanceof RegExp ? expect.stringMatching(message) : message, cause: expect.any(Error) });
    expect(calls()).toEqual(["PutObject", "PutObject", "PutObject", "PutObject"]);
  });

  test("but not where a blob is written and only its date is not known", async () => {
    const { store, fake } = await openStage();
    fake.trouble = ({ name }) => (name === "HeadObject" ? "refuse" : undefined);
    const stat = await put(store, "a", Buffer.from("a"), { size: 1, contentType: "text/plain" });
    expect(stat).toMatchObject({ size: 1, contentType: "text/plain", etag: expect.stringMatching(/^\w{32}$/) });
    expect(Math.abs(stat.lastModified.getTime() - Date.now())).toBeLessThan(10_000);
  });
});

describe("where nothing answers", () => {
  test("each call is Unavailable", async () => {
    const store = s3Blobs({ endpoint: "http://127.0.0.1:1", bucket: "bucket", accessKeyId: "AKID", secretAccessKey: "secret" });
    const calls = [store.open("a"), store.stat("a"), store.read("a"), store.delete("a"), listed(store), store.ping?.()];
    for (const failure of await Promise.all(calls.map((call) => failureOf(Promise.resolve(call))))) {
      expect(failure).toBeInstanceOf(Unavailable);
      expect(String(failure)).toMatch(/^Unavailable: S3 cannot be reached for \w+(?: of "a")?: connect ECONNREFUSED 127\.0\.0\.1:1\. Check/);
    }
  });
});

describe("what S3 refuses names the call and the code, and no secret", () => {
  const wrongs: readonly [string, object, string][] = [
    ["a secret", { secretAccessKey: "secret/not+that" }, "403 SignatureDoesNotMatch. Check the secret access key and the region."],
    ["an id", { accessKeyId: "AKIDOTHER" }, "403 InvalidAccessKeyId. Check the access key id."],
    ["a region", { region: "us-east-1" }, "400 AuthorizationHeaderMalformed. Check the region."],
    ["a clock", { clock: { now: () => Date.now() - 3_600_000 } }, "403 RequestTimeTooSkewed. Set the clock of this machine."],
    ["a token", { sessionToken: "expired" }, "403 InvalidToken."],
    ["a bucket", { bucket: "not-there" }, "404 NoSuchBucket. Check the name of the bucket and the endpoint."],
  ];

  const unsaid: Readonly<Record<string, string>> = {
    400: "400 BadRequest. Check the region and the keys.",
    403: "403 Forbidden. Check the keys and their policy.",
    404: "404 NotFound. Check the name of the bucket and the endpoint.",
  };

  test.each(wrongs)("%s that is wrong", async (_name, wrong, said) => {
    const { fake, location } = await openStage();
    const store = s3Blobs({ ...location, ...fake.keys, ...wrong });
    const failure = await failureOf(store.open("a"));
    expect(failure).toBeInstanceOf(S3Error);
    expect(String(failure)).toBe(`S3Error: S3 refused CreateMultipartUpload of "a": ${said}`);
    const pinged = await failureOf(Promise.resolve(store.ping?.()));
    expect(pinged).toBeInstanceOf(Unavailable);
    // The answer to HEAD has no body, and so no code.
    expect(String(pinged)).toBe(`Unavailable: S3 refused HeadBucket: ${unsaid[said.slice(0, 3)]}`);
    for (const error of [failure, pinged]) expect(JSON.stringify([error, String(error), (error as Error).stack])).not.toMatch(/secret\/|AKID|AWS4/);
  });
});

test("a call that the server lacks is refused at once: waiting would not help", async () => {
  const { store, fake, calls } = await openStage();
  await put(store, "a", Buffer.from("a"), { size: 1 });
  calls();
  fake.trouble = ({ name }) => (name === "ListMultipartUploads" ? "lack" : undefined);
  const failure = await failureOf(store.delete("a"));
  expect(failure).toBeInstanceOf(S3Error);
  expect(String(failure)).toBe(
    "S3Error: S3 refused ListMultipartUploads: 501 NotImplemented. This server lacks the call; blobs need one that has it.",
  );
  expect(calls().filter((name) => name === "ListMultipartUploads")).toHaveLength(1);
  fake.trouble = ({ name }) => (name === "HeadObject" ? "lack" : undefined);
  expect(String(await failureOf(store.stat("a")))).toMatch(/^S3Error: S3 refused HeadObject of "a": 501 NotImplemented/);
});

describe("a reader", () => {
  const bytes = manyBytes(700_000);

  test.each<Trouble>(["cut", "trickle"])("goes on where the connection ends too early: %s", async (trouble) => {
    const { store, fake, calls } = await openStage({ timeoutMs: 200 });
    await put(store, "a", bytes, { size: bytes.length });
    let count = 0;
    fake.trouble = ({ name }) => (name === "GetObject" && count++ < 3 ? trouble : undefined);
    calls();
    expect((await bytesOf(store, "a")).equals(bytes)).toBe(true);
    expect(calls()).toEqual(["HeadObject", "GetObject", "GetObject", "GetObject", "GetObject"]);
  });

  test("ends with an error where it always does", async () => {
    const { store, fake } = await openStage();
    await put(store, "a", Buffer.from("a"), { size: 1 });
    fake.trouble = ({ name }) => (name === "GetObject" ? "cut" : undefined);
    await expect(bytesOf(store, "a")).rejects.toThrow(Unavailable);
  });

  test("gets nothing of a blob that has taken the place, even from a server that ignores conditions", async () => {
    const { fake, location, store } = await openStage();
    await put(store, "a", bytes, { size: bytes.length });
    const read = await store.read("a");
    await put(store, "a", manyBytes(700_000), { size: 1 });
    const gone = new Unavailable('The blob "a" was deleted or replaced before it was read.');
    await expect(read?.[Symbol.asyncIterator]().next()).rejects.toThrow(gone);
    const client: typeof fetchClient = async (request) => {
      const response = await fetchClient(request);
      return { ...response, header: (name) => (name === "etag" && request.method === "GET" ? '"other"' : response.header(name)) };
    };
    await expect(bytesOf(s3Blobs({ ...location, ...fake.keys, client }), "a")).rejects.toThrow(gone);
  });

  test("that goes early releases the connection, one that goes on to the end leaves it to the next", async () => {
    const signals: AbortSignal[] = [];
    const client: typeof fetchClient = (request) => {
      if (request.method === "GET") signals.push(request.signal);
      return fetchClient(request);
    };
    const { store } = await openStage({ client });
    await put(store, "a", bytes, { size: bytes.length });
    for await (const chunk of (await store.read("a")) ?? []) if (chunk.length > 0) break;
    await store.read("a");
    await bytesOf(store, "a");
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });

  test("that goes when all of its bytes have come harms nobody", async () => {
    // An error of the connection that nobody hears of would end the process.
    const { store } = await openStage();
    await put(store, "a", manyBytes(1_000_000));
    for (let time = 0; time < 10; time += 1) {
      let length = 0;
      for await (const chunk of (await store.read("a", { start: 0, end: 65_537 })) ?? []) {
        length += chunk.length;
        if (length > 65_536) break;
      }
      expect(length).toBe(65_537);
    }
    expect(await bytesOf(store, "a")).toHaveLength(1_000_000);
  });

  test("may take its time", async () => {
    const { store, fake, location } = await openStage();
    const impatient = s3Blobs({ ...location, ...fake.keys, timeoutMs: 200 });
    const long = manyBytes(3_000_000);
    await put(store, "a", long, { size: long.length });
    const chunks: Uint8Array[] = [];
    for await (const chunk of (await impatient.read("a")) ?? []) {
      if (chunks.length < 2) await new Promise((resolve) => setTimeout(resolve, 450));
      chunks.push(chunk);
    }
    expect(Buffer.concat(chunks).equals(long)).toBe(true);
  });
});
