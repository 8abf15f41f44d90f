// @slow

import { createHash } from "node:crypto";
import { AwsV4Signer } from "aws4fetch";
import type { S3Location } from "restwright/s3";
import { describe, expect, test } from "vitest";
import type { PresignedPut, PresignPutOptions } from "../../../../src/ground/storage/files/blobs.js";
import { bytesOf } from "../blobs/blobContents.js";
import { openStage, put } from "./bucket/stage.js";

const bytes = Buffer.from("hello, world");
const sha256 = createHash("sha256").update(bytes).digest("hex");
const all: PresignPutOptions = { contentType: "text/plain; charset=utf-8", size: bytes.length, sha256, expiresIn: 60 };

async function setUp(options: Partial<S3Location> = {}, sessionToken?: string) {
  let nowMs = Date.now();
  const now = () => nowMs;
  const keys = { accessKeyId: "AKID", secretAccessKey: "secret", sessionToken };
  const stage = await openStage({ clock: { now }, ...options }, { now, keys });
  const presign = async (presigning: PresignPutOptions = all, key = "mine"): Promise<PresignedPut> => {
    const presigned = await stage.store.presignPut?.(key, presigning);
    if (presigned === undefined) throw new Error("The store signs nothing.");
    return presigned;
  };
  return { ...stage, keys, presign, now, advance: (ms: number) => (nowMs += ms) };
}

interface Sending {
  readonly url?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

async function send(presigned: PresignedPut, changes: Sending = {}): Promise<string> {
  const { url, method, headers } = { ...presigned, ...changes };
  const response = await fetch(url, { method, headers, body: changes.body ?? bytes });
  return `${response.status} ${/<Code>(.*?)<\/Code>/.exec(await response.text())?.[1] ?? ""}`.trim();
}

test("an address takes the bytes that it was signed for, and makes a blob of them", async () => {
  for (const token of [undefined, "a+token/="]) {
    const { store, presign } = await setUp({ prefix: "files/" }, token);
    const presigned = await presign();
    expect(presigned).toEqual({
      url: expect.stringContaining("X-Amz-SignedHeaders=content-length%3Bcontent-type%3Bhost%3Bx-amz-checksum-sha256"),
      method: "PUT",
      headers: { "content-type": "text/plain; charset=utf-8", "x-amz-checksum-sha256": createHash("sha256").update(bytes).digest("base64") },
    });
    expect(await send(presigned)).toBe("200");
    expect(await store.stat("mine")).toMatchObject({ size: bytes.length, contentType: "text/plain; charset=utf-8" });
    expect(await bytesOf(store, "mine")).toEqual(bytes);
  }
});

describe("an address refuses", () => {
  const other = Buffer.from("HELLO, WORLD");
  const cases: readonly [string, (presigned: PresignedPut) => Sending, string][] = [
    ["another type", ({ headers }) => ({ headers: { ...headers, "content-type": "text/html" } }), "403 SignatureDoesNotMatch"],
    ["no type", ({ headers: { "content-type": _type, ...rest } }) => ({ headers: rest }), "403 SignatureDoesNotMatch"],
    ["more bytes", () => ({ body: Buffer.concat([bytes, bytes]) }), "403 SignatureDoesNotMatch"],
    ["fewer bytes", () => ({ body: bytes.subarray(1) }), "403 SignatureDoesNotMatch"],
    ["other bytes", () => ({ body: other }), "400 BadDigest"],
    [
      "other bytes with their hash",
      ({ headers }) => ({ body: other, headers: { ...headers, "x-amz-checksum-sha256": createHash("sha256").update(other).digest("base64") } }),
      "403 SignatureDoesNotMatch",
    ],
    ["no hash", ({ headers: { "x-amz-checksum-sha256": _hash, ...rest } }) => ({ headers: rest }), "403 SignatureDoesNotMatch"],
    ["another key", ({ url }) => ({ url: url.replace("/mine", "/other") }), "403 SignatureDoesNotMatch"],
    ["a longer life", ({ url }) => ({ url: url.replace("Expires=60", "Expires=600") }), "403 SignatureDoesNotMatch"],
    ["one parameter more", ({ url }) => ({ url: `${url}&partNumber=1` }), "403 SignatureDoesNotMatch"],
    ["a parameter twice", ({ url }) => ({ url: `${url}&X-Amz-Expires=60` }), "403 SignatureDoesNotMatch"],
    ["headers of S3 that were not signed", ({ headers }) => ({ headers: { ...headers, "x-amz-acl": "public-read" } }), "403 AccessDenied"],
    ["another method", () => ({ method: "DELETE" }), "403 SignatureDoesNotMatch"],
  ];

  test.each(cases)("%s", async (_name, change, refusal) => {
    const { presign, inside } = await setUp();
    const presigned = await presign();
    expect(await send(presigned, change(presigned))).toBe(refusal);
    expect(inside.objects.size).toBe(0);
    expect(await send(presigned)).toBe("200");
  });

  test("everything when its time is over", async () => {
    const { presign, inside, advance } = await setUp();
    const presigned = await presign();
    advance(61_000);
    expect(await send(presigned)).toBe("403 AccessDenied");
    expect(inside.objects.size).toBe(0);
  });
});

test("what is not known is not signed", async () => {
  const { store, presign } = await setUp();
  const presigned = await presign({ expiresIn: 60 });
  expect(presigned.headers).toEqual({});
  expect(presigned.url).toMatch(/X-Amz-SignedHeaders=host$/);
  expect(await send(presigned)).toBe("200");
  expect(await store.stat("mine")).toMatchObject({ size: bytes.length, contentType: undefined });
  const empty = await presign({ size: 0, expiresIn: 60 });
  expect(await send(empty)).toBe("403 SignatureDoesNotMatch");
  expect(await send(empty, { body: Buffer.alloc(0) })).toBe("200");
});

test("an address takes the place of a blob that has its key", async () => {
  const { store, presign } = await setUp();
  await put(store, "mine", Buffer.from("before"));
  expect(await send(await presign())).toBe("200");
  expect(await bytesOf(store, "mine")).toEqual(bytes);
});

test("an address is signed as aws4fetch signs it", async () => {
  const { presign, keys, now, fake } = await setUp();
  const { url, headers } = await presign();
  const ours = new URL(url);
  const signing = { ...keys, sessionToken: "", service: "s3", region: fake.region, signQuery: true, allHeaders: true };
  const unsigned = `${ours.origin}${ours.pathname}?X-Amz-Expires=60`;
  const datetime = new Date(now()).toISOString().replace(/[-:]|\.\d+/g, "");
  const signer = new AwsV4Signer({ ...signing, method: "PUT", url: unsigned, datetime, headers: { ...headers, "content-length": "12" } });
  const theirs = (await signer.sign()).url;
  expect(Object.fromEntries(ours.searchParams)).toEqual(Object.fromEntries(theirs.searchParams));
});

test("an address begins where clients reach the endpoint", async () => {
  const { presign } = await setUp({ publicEndpoint: "https://files.example.com", prefix: "uploads/" });
  expect((await presign()).url).toMatch(/^https:\/\/files\.example\.com\/bucket-1\/uploads\/mine\?X-Amz-Algorithm=/);
});

test.each<[string, Partial<PresignPutOptions>, string]>([
  ["no second", { expiresIn: 0 }, "1 to 604800 seconds"],
  ["half a second", { expiresIn: 0.5 }, "1 to 604800 seconds"],
  ["more than seven days", { expiresIn: 604_801 }, "1 to 604800 seconds"],
  ["a type that no header can carry", { contentType: "text/\u00fc" }, "The type of a blob must be ASCII text"],
  ["a length that is none", { size: -1 }, "at least 0; got -1"],
  ["a hash that is none", { sha256: sha256.toUpperCase() }, "64 lower-case hexadecimal digits"],
])("for %s nothing is signed: it is a TypeError", async (_name, wrong, message) => {
  const { presign } = await setUp();
  await expect(presign({ ...all, ...wrong })).rejects.toThrow(TypeError);
  await expect(presign({ ...all, ...wrong })).rejects.toThrow(message);
  await expect(presign(all, "a/b")).rejects.toThrow(TypeError);
  expect((await presign({ ...all, expiresIn: 604_800 })).url).toContain("X-Amz-Expires=604800");
});
