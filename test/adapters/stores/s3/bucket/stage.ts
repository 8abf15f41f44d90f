import { randomBytes } from "node:crypto";
import { type S3Location, s3Blobs } from "restwright/s3";
import { afterAll } from "vitest";
import type { BlobListing, BlobStat, BlobStore } from "../../../../../src/ground/storage/files/blobs.js";
import { type FakeOptions, startS3Fake } from "./fake.js";

export const mebibyte = 1_048_576;

/** What ends when all tests have: those that run at the same time cannot say when one of them has. */
const ends: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(ends.map((end) => end())));

/** A store on a bucket of its own, and what stands behind it. */
export async function openStage(options: Partial<S3Location> = {}, fakeOptions: FakeOptions = {}) {
  const fake = await startS3Fake(fakeOptions);
  const bucket = fake.bucket();
  const location = { endpoint: fake.endpoint, region: fake.region, bucket, ...options };
  const store = s3Blobs({ ...location, ...fake.keys });
  ends.push(async () => {
    await store.close?.();
    await fake.close();
  });
  const inside = fake.inside(bucket);
  /** Calls since the last time, by name and in order. */
  const calls = () => fake.calls.splice(0);
  return { fake, store, inside, location, calls };
}

export async function put(
  store: BlobStore,
  key: string,
  bytes: Uint8Array,
  options: { contentType?: string; size?: number } = {},
): Promise<BlobStat> {
  const writer = await store.open(key, options);
  for (let at = 0; at < bytes.length; at += 300_000) await writer.write(bytes.subarray(at, at + 300_000));
  return writer.commit();
}

export async function listed(store: BlobStore, prefix = "", before = new Date(8.64e15)): Promise<BlobListing[]> {
  const all: BlobListing[] = [];
  for await (const listing of store.list(prefix, { before })) all.push(listing);
  return all;
}

/** Random, and fast: blocks that differ. */
export function manyBytes(length: number): Buffer {
  const bytes = Buffer.alloc(length, randomBytes(Math.min(length, 65_536)));
  for (let at = 0; at + 4 <= length; at += mebibyte) bytes.writeUInt32BE(at, at);
  return bytes;
}

/** What a call fails with. */
export async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  );
}
