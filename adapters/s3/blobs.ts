import { checkBlobKey } from "../../src/storage/blobKey.js";
import type { BlobStore } from "../../src/storage/blobs.js";
import { clampRange } from "../../src/storage/clampRange.js";
import { S3Api } from "./api.js";
import { s3DirectParts } from "./directParts.js";
import { s3Drafts } from "./drafts.js";
import { listBlobs } from "./list.js";
import { nodeClient } from "./nodeClient.js";
import { headObject } from "./objects.js";
import { keysOf, type S3Options } from "./options.js";
import { mostUnannouncedBytes } from "./partBytes.js";
import { ping } from "./ping.js";
import { placeOf } from "./place.js";
import { presignGet, presignPut } from "./presign.js";
import { readObject } from "./read.js";
import { removeBlob } from "./remove.js";
import { Slots } from "./slots.js";
import { UnsentBlobs } from "./unsent.js";
import { openWriter } from "./writer.js";

/** Parts on their way at once, of all blobs together: with 8 MiB each no more than 128 MiB. */
const mostParts = 16;

/**
 * Blobs in a bucket of S3, or of what speaks its language: R2, MinIO, Ceph, Garage.
 *
 * @throws {TypeError} for options that cannot work
 * @example
 * const blobs = s3Blobs({ endpoint: "https://s3.eu-west-1.amazonaws.com", region: "eu-west-1", bucket: "shop", accessKeyId, secretAccessKey });
 * const writer = await blobs.open("01JQ", { contentType: "text/csv", size: 8 });
 * await writer.write(Buffer.from("id,name\n"));
 * await writer.commit(); // { size: 8, contentType: "text/csv", … }
 */
export function s3Blobs(options: S3Options): BlobStore {
  if (typeof options !== "object" || options === null) throw new TypeError("s3Blobs needs an endpoint, a bucket and keys.");
  const { endpoint, publicEndpoint = endpoint, region = "us-east-1", timeoutMs = 15_000, clock = Date } = options;
  if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 1)
    throw new TypeError(`The timeoutMs of S3 must be whole milliseconds, at least 1; got ${timeoutMs}.`);
  const place = placeOf(endpoint, options);
  const publicPlace = placeOf(publicEndpoint, options);
  const node = nodeClient(place.protocol, timeoutMs);
  const client = options.client ?? node.send;
  const api = new S3Api({ place, region, keys: keysOf(options), client, now: () => clock.now(), timeoutMs });
  const unsent = new UnsentBlobs();
  const writing = { api, unsent, slots: new Slots(mostParts) };
  return {
    name: "s3",
    mostBytes: mostUnannouncedBytes,
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
      return removeBlob(api, unsent, key);
    },
    list: (prefix, { before }) => listBlobs(api, unsent, prefix, before),
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
