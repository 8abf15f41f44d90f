import type { BlobStat, Draft } from "../../../../src/ground/storage/files/blobs.js";
import { BufferPool } from "../bufferPool.js";
import type { S3Api } from "../call/api.js";
import { completeUpload, type UploadedPart, unlessMissing, uploadPart } from "../multipart.js";
import { headObject, statWritten } from "../objects.js";
import { PartBuffer } from "../partBuffer.js";
import { type DraftState, stateOf } from "./draftState.js";
import { openTail } from "./tails.js";

/**
 * Completes a draft to a whole blob. If the draft is gone, it may have been completed before.
 *
 * @returns `undefined` if there is neither the draft nor a whole blob of its size
 */
export async function completeDraft(api: S3Api, key: string, draft: Draft): Promise<BlobStat | undefined> {
  const state = stateOf(draft);
  return (state && (await unlessMissing(() => putTogether(api, key, state, draft.size)))) ?? wholeOf(api, key, draft.size);
}

/** The existing whole blob, if it has this size. */
export async function wholeOf(api: S3Api, key: string, size: number): Promise<BlobStat | undefined> {
  const stat = await headObject(api, key);
  return stat?.size === size ? stat : undefined;
}

/** Responds 404 if the upload has ended; `undefined` if only the tail is gone. */
async function putTogether(api: S3Api, key: string, state: DraftState, size: number): Promise<BlobStat | undefined> {
  const last = await lastPart(api, key, state);
  if (last === "gone") return undefined;
  const parts = [...state.parts, ...last];
  const completed = await completeUpload(api, { key, uploadId: state.uploadId }, { parts, size });
  return statWritten(api, key, { size, contentType: state.contentType, ...completed });
}

/** Uploads the tail as a part. A blob without bytes is one empty part. */
async function lastPart(
  api: S3Api,
  key: string,
  { uploadId, parts, partBytes, window, tail }: DraftState,
): Promise<readonly UploadedPart[] | "gone"> {
  if (tail === undefined && parts.length > 0) return [];
  const buffer = new PartBuffer(partBytes, new BufferPool());
  const bytes = tail === undefined ? [] : await openTail(api, key, tail);
  if (bytes === undefined) return "gone";
  for await (const chunk of bytes) buffer.take(chunk);
  const etag = await uploadPart(api, { key, uploadId }, { number: window.next, payload: buffer.finish() });
  return [{ number: window.next, etag }];
}
