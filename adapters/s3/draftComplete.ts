import type { BlobStat, Draft } from "../../src/storage/blobs.js";
import type { S3Api } from "./api.js";
import { Blocks } from "./blocks.js";
import { type DraftState, stateOf } from "./draftState.js";
import { completeUpload, type UploadedPart, unlessMissing, uploadPart } from "./multipart.js";
import { headObject, statWritten } from "./objects.js";
import { PartBuffer } from "./partBuffer.js";
import { openTail } from "./tails.js";

/**
 * Makes a draft a whole blob. Where it is none any more, it may have become one before.
 *
 * @returns `undefined` where there is neither the draft nor a whole blob of its size
 */
export async function completeDraft(api: S3Api, key: string, draft: Draft): Promise<BlobStat | undefined> {
  const state = stateOf(draft);
  return (state && (await unlessMissing(() => putTogether(api, key, state, draft.size)))) ?? wholeOf(api, key, draft.size);
}

/** The whole blob that there is, if it has this size. */
export async function wholeOf(api: S3Api, key: string, size: number): Promise<BlobStat | undefined> {
  const stat = await headObject(api, key);
  return stat?.size === size ? stat : undefined;
}

/** It is a 404 where the upload has ended; `undefined` where only the tail is gone. */
async function putTogether(api: S3Api, key: string, state: DraftState, size: number): Promise<BlobStat | undefined> {
  const last = await lastPart(api, key, state);
  if (last === "gone") return undefined;
  const parts = [...state.parts, ...last];
  const completed = await completeUpload(api, { key, uploadId: state.uploadId }, { parts, size });
  return statWritten(api, key, { size, contentType: state.contentType, ...completed });
}

/** The tail as a part. A blob without bytes is one part without bytes. */
async function lastPart(
  api: S3Api,
  key: string,
  { uploadId, parts, partBytes, window, tail }: DraftState,
): Promise<readonly UploadedPart[] | "gone"> {
  if (tail === undefined && parts.length > 0) return [];
  const buffer = new PartBuffer(partBytes, new Blocks());
  const bytes = tail === undefined ? [] : await openTail(api, key, tail);
  if (bytes === undefined) return "gone";
  for await (const chunk of bytes) buffer.take(chunk);
  const etag = await uploadPart(api, { key, uploadId }, { number: window.next, payload: buffer.finish() });
  return [{ number: window.next, etag }];
}
