import { checkBlobKey } from "../../../src/ground/storage/files/blobKey.js";
import type { BlobStat, DirectParts, Draft } from "../../../src/ground/storage/files/blobs.js";
import { payloadOf, type S3Api } from "./call/api.js";
import type { BucketLocation } from "./call/bucketLocation.js";
import { S3Error } from "./call/errors.js";
import { wholeOf } from "./drafts/draftComplete.js";
import { emptyDraft, stateOf } from "./drafts/draftState.js";
import { completeUpload, createUpload, type Upload, type UploadedPart, unlessMissing, uploadPart } from "./multipart.js";
import { checkType, statWritten } from "./objects.js";
import { type ListedPart, listParts } from "./pages.js";
import { maxParts, partBytesFor } from "./partBytes.js";
import { presignPart } from "./presign.js";

/** S3's error codes for parts that cannot form an object: too small, not of equal length, or being replaced. */
const unfit = new Set(["EntityTooSmall", "InvalidPart", "InvalidPartOrder"]);

/**
 * Blobs that clients send directly to S3, in parts.
 *
 * @param place the address of the bucket for clients
 */
export function s3DirectParts(api: S3Api, place: BucketLocation): DirectParts {
  return {
    begin: async (key, { contentType, size }) => {
      checkBlobKey(key);
      checkType(contentType);
      const { uploadId } = await createUpload(api, key, contentType);
      const partBytes = partBytesFor(size);
      return { ...emptyDraft({ uploadId, contentType, partBytes }), partBytes };
    },
    presign: async (key, draft, numbers, { expiresIn }) => {
      const begun = begunOf(key, draft);
      if (begun === undefined) throw new TypeError("The draft does not belong to a store in S3.");
      const wrong = numbers.find((number) => !Number.isInteger(number) || number < 1 || number > maxParts);
      if (wrong !== undefined) throw new TypeError(`Part numbers are 1 to ${maxParts}; got ${wrong}.`);
      return Promise.all(numbers.map(async (n) => ({ n, url: await presignPart(api, place, begun.upload, { number: n, expiresIn }) })));
    },
    list: async (key, draft) => {
      const begun = begunOf(key, draft);
      const parts = begun && (await unlessMissing(() => partsOf(api, begun.upload)));
      return (parts ?? []).map(({ number, size, etag }) => ({ n: number, size, etag }));
    },
    complete: async (key, draft, size) => {
      const begun = begunOf(key, draft);
      const made = begun && (await unlessMissing(() => putTogether(api, begun, size)));
      return made === "unfit" ? undefined : (made ?? wholeOf(api, key, size));
    },
  };
}

interface BegunParts {
  readonly upload: Upload;
  readonly contentType: string | undefined;
}

/** `undefined` for a draft that no S3 store created. */
function begunOf(key: string, draft: Draft): BegunParts | undefined {
  checkBlobKey(key);
  const state = stateOf(draft);
  return state && { upload: { key, uploadId: state.uploadId }, contentType: state.contentType };
}

/** Responds 404 if the upload has ended. */
async function putTogether(api: S3Api, { upload, contentType }: BegunParts, size: number): Promise<BlobStat | "unfit"> {
  const arrived = await partsOf(api, upload);
  if (arrived.reduce((sum, part) => sum + part.size, 0) !== size) return "unfit";
  try {
    const parts = arrived.length > 0 ? arrived : [await emptyPart(api, upload)];
    return await statWritten(api, upload.key, { size, contentType, ...(await completeUpload(api, upload, { parts, size })) });
  } catch (error) {
    if (error instanceof S3Error && unfit.has(error.code)) return "unfit";
    throw error;
  }
}

/** An object needs at least one part. */
async function emptyPart(api: S3Api, upload: Upload): Promise<UploadedPart> {
  return { number: 1, etag: await uploadPart(api, upload, { number: 1, payload: payloadOf(new Uint8Array()) }) };
}

async function partsOf(api: S3Api, upload: Upload): Promise<readonly ListedPart[]> {
  const parts: ListedPart[] = [];
  for await (const part of listParts(api, upload)) parts.push(part);
  return parts;
}
