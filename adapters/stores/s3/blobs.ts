import { callable, clock as clockSchema, flag, optionsCheck, passing, strict, text, whole } from "../../../src/ground/options/index.js";
import { Unavailable } from "../../../src/ground/storage/errors.js";
import { checkBlobKey } from "../../../src/ground/storage/files/blobKey.js";
import type { BlobStore } from "../../../src/ground/storage/files/blobs.js";
import { clampRange } from "../../../src/ground/storage/files/clampRange.js";
import { S3Api } from "./call/api.js";
import { resolveBucket } from "./call/bucketLocation.js";
import { finalError } from "./call/errors.js";
import { nodeClient } from "./call/nodeClient.js";
import { s3DirectParts } from "./directParts.js";
import { s3Drafts } from "./drafts/drafts.js";
import { listBlobs } from "./list.js";
import { headObject } from "./objects.js";
import { keysOf, type S3Keys, type S3Location, type S3Options } from "./options.js";
import { maxUnannouncedBytes } from "./partBytes.js";
import { PendingBlobs } from "./pendingBlobs.js";
import { presignGet, presignPut } from "./presign.js";
import { readObject } from "./read.js";
import { removeBlob } from "./remove.js";
import { Semaphore } from "./semaphore.js";
import { openWriter } from "./writer.js";

/** The most parts in flight, of all blobs together: 128 MiB with parts of 8 MiB. */
const maxParts = 16;

const check = /* @__PURE__ */ optionsCheck("s3Blobs", () =>
  strict<S3Location & S3Keys & { readonly credentials: unknown }>(
    {
      endpoint: text("the address of a server"),
      bucket: text("the name of a bucket"),
      region: text(),
      prefix: text(),
      pathStyle: flag(),
      publicEndpoint: text("the address of a server"),
      timeoutMs: whole(1),
      client: callable(),
      clock: clockSchema(),
      accessKeyId: text(),
      secretAccessKey: text(),
      sessionToken: text(),
      credentials: passing("an async function that answers accessKeyId and secretAccessKey", (value) => typeof value === "function"),
    },
    ["endpoint", "bucket"],
  ),
);

/**
 * Stores blobs in a bucket of S3, or of a compatible service: R2, MinIO, Ceph, Garage.
 *
 * @throws {ConfigurationError | TypeError} for invalid options
 * @example
 * const blobs = s3Blobs({ endpoint: "https://s3.eu-west-1.amazonaws.com", region: "eu-west-1", bucket: "shop", accessKeyId, secretAccessKey });
 * const writer = await blobs.open("01JQ", { contentType: "text/csv", size: 8 });
 * await writer.write(Buffer.from("id,name\n"));
 * await writer.commit(); // { size: 8, contentType: "text/csv", … }
 */
export function s3Blobs(options: S3Options): BlobStore {
  check(options);
  const { endpoint, publicEndpoint = endpoint, region = "us-east-1", timeoutMs = 15_000, clock = Date } = options;
  const place = resolveBucket(endpoint, options);
  const publicPlace = resolveBucket(publicEndpoint, options);
  const node = nodeClient(place.protocol, timeoutMs);
  const client = options.client ?? node.send;
  const api = new S3Api({ place, region, keys: keysOf(options), client, now: () => clock.now(), timeoutMs });
  const pending = new PendingBlobs();
  const writing = { api, pending, slots: new Semaphore(maxParts) };
  return {
    name: "s3",
    maxBytes: maxUnannouncedBytes,
    open: async (key, { contentType, size } = {}) => {
      checkBlobKey(key);
      return openWriter(writing, { key, contentType, size });
    },
    stat: async (key) => {
      checkBlobKey(key);
      return headObject(api, key);
    },
    read: async (key, range) => {
      checkBlobKey(key);
      const stat = await headObject(api, key);
      return stat && readObject(api, { key, etag: stat.etag, ...clampRange(range, stat.size) });
    },
    delete: async (key) => {
      checkBlobKey(key);
      return removeBlob(api, pending, key);
    },
    list: (prefix, { before }) => listBlobs(api, pending, prefix, before),
    presignGet: async (key, presigning) => {
      checkBlobKey(key);
      return presignGet(api, publicPlace, key, presigning);
    },
    drafts: s3Drafts(writing),
    presignPut: async (key, presigning) => {
      checkBlobKey(key);
      return presignPut(api, publicPlace, key, presigning);
    },
    directParts: s3DirectParts(api, publicPlace),
    ping: () => ping(api),
    close: async () => node.close(),
  };
}

/**
 * Resolves if the bucket exists and the keys may access it. There is no retry: the caller wants to know at once.
 *
 * @throws {Unavailable}
 */
async function ping(api: S3Api): Promise<void> {
  try {
    await api.sendOnce({ name: "HeadBucket", method: "HEAD" });
  } catch (error) {
    const final = finalError("HeadBucket", error);
    throw final instanceof Unavailable || !(final instanceof Error) ? final : new Unavailable(final.message, { cause: final });
  }
}
