import type { ProblemCode } from "../../problem/index.js";
import { ProblemError } from "../../problem/index.js";
import type { Draft } from "../../storage/blobs.js";
import type { UploadRecord } from "../../storage/uploads.js";
import type { Visibility } from "../options.js";

/** A file as it is kept. */
export interface StoredFile {
  /** Of its blob. */
  readonly key: string;
  /** What its bytes say it is. */
  readonly contentType: string;
  /** In bytes. */
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** The store's tag of the bytes that were looked into, where a client may be able to put others in their place. */
  readonly etag?: string | undefined;
  /** Of an image, in pixels. */
  readonly image?: { readonly width: number; readonly height: number } | undefined;
}

/** Why a file was not taken. */
export interface StoredProblem {
  readonly code: ProblemCode;
  readonly status: number;
  readonly detail: string;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** `gone`: expired, or deleted; it is told apart from what never was for a week. */
export type UploadStatus = "uploading" | "processing" | "ready" | "rejected" | "gone";

/** How a file comes: in pieces, as one body, in a form, or to an address that was signed for it. */
export type UploadKind = "resumable" | "plain" | "form" | "direct";

/** What a client says of a file beforehand. */
export interface AnnouncedFile {
  /** Safe to be kept and shown. */
  readonly filename: string;
  /** As sent. */
  readonly declaredType?: string | undefined;
  /** Name of the field of a form. */
  readonly field?: string | undefined;
  /** Name of the form that it came in. */
  readonly form?: string | undefined;
}

/** What stands in a record. */
export interface UploadData extends AnnouncedFile {
  readonly kind: UploadKind;
  readonly status: UploadStatus;
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
  readonly visibility: Visibility;
  /** In bytes; `undefined` while nobody has said. */
  readonly length?: number | undefined;
  /** `Upload-Metadata` as sent. */
  readonly metadata?: string | undefined;
  /** `Upload-Concat` as sent. */
  readonly concat?: string | undefined;
  /** What has arrived of a resumable one. */
  readonly draft?: Draft | undefined;
  /** Who is writing: new for each request. */
  readonly holder?: string | undefined;
  /** Somebody else wants to write, or to know how much has arrived. */
  readonly isWanted?: true | undefined;
  /** A holder that was silent for too long was passed over, and may still be writing; or what it gave up may still come. */
  readonly isContested?: true | undefined;
  /** `false` while its client cannot know of it: all that has come of it came with the request that began it, and that was not answered. */
  readonly isAcknowledged?: boolean | undefined;
  /** What is to be sent to an address of its own. */
  readonly direct?: DirectUpload | undefined;
  /** Of the blob that has the bytes, where that is not the usual one. */
  readonly key?: string | undefined;
  /** Ids of all files of its form, where there are several: they become ready together, and what becomes of the first becomes of all. */
  readonly together?: readonly string[] | undefined;
  /** Of one that is ready; of one that waits for others of its form, as soon as it was checked. */
  readonly file?: StoredFile | undefined;
  /** Of one that was rejected. */
  readonly problem?: StoredProblem | undefined;
}

/** What a client has to send to an address that it was given. */
export interface DirectUpload {
  /** Lower-case hex. */
  readonly sha256?: string | undefined;
  /** Of one that is sent in parts. */
  readonly parts?: (Draft & { readonly partBytes: number }) | undefined;
  /** When the address ends, in Unix seconds. */
  readonly expiresAt: number;
}

/** An upload as it was when its record was read. */
export interface Upload {
  readonly record: UploadRecord;
  readonly data: UploadData;
}

/** @param record of this room's own making */
export function uploadOf(record: UploadRecord): Upload {
  return { record, data: record.data as UploadData };
}

/** Bytes that have arrived for good. */
export function offsetOf({ data }: Upload): number {
  if (data.status === "processing" || data.status === "ready") return data.length ?? data.file?.size ?? 0;
  return data.draft?.size ?? 0;
}

/** Whether it is one of the pieces of a concatenation. */
export function isPartial({ data }: Upload): boolean {
  return data.concat === "partial";
}

/** The problem that a file was rejected for. */
export function problemOf({ code, status, detail, extensions }: StoredProblem): ProblemError {
  return new ProblemError(code, detail, { status, extensions });
}

const mark = "upload_";

/** The key of an upload's blob. */
export function blobKeyOf(id: string): string {
  return mark + id;
}

/** The key of the blob that has the bytes as they came. */
export function sourceKeyOf({ record, data }: Upload): string {
  return data.key ?? blobKeyOf(record.id);
}

/** Every key of an upload's blobs begins like this. */
export const blobKeyMark = mark;

/** The id of the upload that a key belongs to. */
export function idOfKey(key: string): string {
  return key.slice(mark.length).split("_", 1)[0] ?? "";
}
