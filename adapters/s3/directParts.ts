import { checkBlobKey } from "../../src/storage/blobKey.js";
import type { BlobStat, DirectParts, Draft } from "../../src/storage/blobs.js";
import { payloadOf, type S3Api } from "./api.js";
import { wholeOf } from "./draftComplete.js";
import { emptyDraft, stateOf } from "./draftState.js";
import { S3Error } from "./errors.js";
import { completeUpload, createUpload, type Upload, type UploadedPart, unlessMissing, uploadPart } from "./multipart.js";
import { checkType, statWritten } from "./objects.js";
import { type ListedPart, listParts } from "./pages.js";
import { mostParts, partBytesFor } from "./partBytes.js";
import type { Place } from "./place.js";
import { presignPart } from "./presign.js";

/** What S3 says of parts that make no object: too small, not of one length, or replaced at this moment. */
const unfit = new Set(["EntityTooSmall", "InvalidPart", "InvalidPartOrder"]);

/**
 * Blobs that clients send to S3 themselves, in parts.
 *
 * @param place where clients find the bucket
 */
export function s3DirectParts(api: S3Api, place: Place): DirectParts {
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
      if (begun === undefined) throw new TypeError("The draft is none of a store in S3.");
      const wrong = numbers.find((number) => !Number.isInteger(number) || number < 1 || number > mostParts);
      if (wrong !== undefined) throw new TypeError(`Parts have numbers from 1 to ${mostParts}; ${wrong} is none.`);
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

/** `undefined` for a draft that no store in S3 made. */
function begunOf(key: string, draft: Draft): BegunParts | undefined {
  checkBlobKey(key);
  const state = stateOf(draft);
  return state && { upload: { key, uploadId: state.uploadId }, contentType: state.contentType };
}

/** It is a 404 where the upload has ended. */
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

/** No object can be made of no part. */
async function emptyPart(api: S3Api, upload: Upload): Promise<UploadedPart> {
  return { number: 1, etag: await uploadPart(api, upload, { number: 1, payload: payloadOf(new Uint8Array()) }) };
}

async function partsOf(api: S3Api, upload: Upload): Promise<readonly ListedPart[]> {
  const parts: ListedPart[] = [];
  for await (const part of listParts(api, upload)) parts.push(part);
  return parts;
}
