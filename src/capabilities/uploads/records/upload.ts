import type { ProblemCode } from "../../../ground/problem/index.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { Draft } from "../../../ground/storage/files/blobs.js";
import type { UploadRecord } from "../../../ground/storage/files/uploads.js";
import type { Visibility } from "../options.js";

/** A stored file. */
export interface StoredFile {
  /** Key of its blob. */
  readonly key: string;
  /** Media type detected from its bytes. */
  readonly contentType: string;
  /** In bytes. */
  readonly size: number;
  /** SHA-256 in lower-case hex. */
  readonly sha256: string;
  /** The blob store's tag of the checked bytes, if a client may be able to replace them. */
  readonly etag?: string | undefined;
  /** Dimensions of an image in pixels. */
  readonly image?: { readonly width: number; readonly height: number } | undefined;
}

/** Why a file was rejected. */
export interface StoredProblem {
  readonly code: ProblemCode;
  readonly status: number;
  readonly detail: string;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** `gone`: expired or deleted; the record is kept for a week, so that requests get GONE instead of NOT_FOUND. */
export type UploadStatus = "uploading" | "processing" | "ready" | "rejected" | "gone";

/** How a file is sent: in pieces, as one body, in a form, or to a signed URL. */
export type UploadKind = "resumable" | "plain" | "form" | "direct";

/** What a client announces about a file. */
export interface AnnouncedFile {
  /** Sanitized; safe to store and display. */
  readonly filename: string;
  /** As sent. */
  readonly declaredType?: string | undefined;
  /** Name of the form field. */
  readonly field?: string | undefined;
  /** Name of the form that contained the file. */
  readonly form?: string | undefined;
}

/** The data of an upload record. */
export interface UploadData extends AnnouncedFile {
  readonly kind: UploadKind;
  readonly status: UploadStatus;
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
  readonly visibility: Visibility;
  /** In bytes; `undefined` while unknown. */
  readonly length?: number | undefined;
  /** `Upload-Metadata` as sent. */
  readonly metadata?: string | undefined;
  /** `Upload-Concat` as sent. */
  readonly concat?: string | undefined;
  /** The received bytes of a resumable upload. */
  readonly draft?: Draft | undefined;
  /** The blob store may have acknowledged bytes that `draft` does not have. If the holder dies, they are recovered; all of them belong to the upload. */
  readonly isAhead?: true | undefined;
  /** Token of the request that holds the write lock: new for each request. */
  readonly holder?: string | undefined;
  /** Another request wants to write, or to read the offset. */
  readonly isWanted?: true | undefined;
  /** A holder lost the lock after it was silent for too long. It may still be writing, or its last writes may still complete. */
  readonly isContested?: true | undefined;
  /** `false` while the client does not know the upload: all bytes came with the request that began it, and that request has not been answered. */
  readonly isAcknowledged?: boolean | undefined;
  /** For forms: no process is checking it; it is retried when it is due. */
  readonly isWaiting?: true | undefined;
  /** For uploads to a signed URL. */
  readonly direct?: DirectUpload | undefined;
  /** Key of the blob with the received bytes, if it differs from {@link blobKeyOf}. */
  readonly key?: string | undefined;
  /** Ids of all files of the form, if there are several. They become ready together, and the state of the first decides the state of all. */
  readonly together?: readonly string[] | undefined;
  /** Set when the upload is ready; if it waits for other files of its form, set as soon as it has been checked. */
  readonly file?: StoredFile | undefined;
  /** Set if the file was rejected. */
  readonly problem?: StoredProblem | undefined;
  /** Set while a row holds the file. */
  readonly claim?: FileClaim | undefined;
}

/** The field of a row that holds a file. */
export interface FileClaim {
  readonly collection: string;
  readonly field: string;
  /** The text of the row's id. A claim of an older version of this library has none: the row is then the one whose field holds the file. */
  readonly row?: string | undefined;
  /** The operation that has claimed it, if it has an id: its repetition finds its own claim. */
  readonly operationId?: string | undefined;
}

/** An upload to a signed URL. */
export interface DirectUpload {
  /** Announced SHA-256 in lower-case hex. */
  readonly sha256?: string | undefined;
  /** Set if the file is sent in parts. */
  readonly parts?: (Draft & { readonly partBytes: number }) | undefined;
  /** When the URL expires, in Unix seconds. */
  readonly expiresAt: number;
}

/** An upload, as read from its record. */
export interface Upload {
  readonly record: UploadRecord;
  readonly data: UploadData;
}

/** @param record written by this module, so its data is trusted */
export function uploadOf(record: UploadRecord): Upload {
  return { record, data: record.data as UploadData };
}

/** Number of bytes that are stored. */
export function offsetOf({ data }: Upload): number {
  if (data.status === "processing" || data.status === "ready") return data.length ?? data.file?.size ?? 0;
  return data.draft?.size ?? 0;
}

/** Whether it is a partial upload for a concatenation. */
export function isPartial({ data }: Upload): boolean {
  return data.concat === "partial";
}

/** The problem that the file was rejected for. */
export function problemOf({ code, status, detail, extensions }: StoredProblem): ProblemError {
  return new ProblemError(code, detail, { status, extensions });
}

const mark = "upload_";

/** The key of an upload's blob. */
export function blobKeyOf(id: string): string {
  return mark + id;
}

/** The key of the blob with the bytes as received. */
export function sourceKeyOf({ record, data }: Upload): string {
  return data.key ?? blobKeyOf(record.id);
}

/** Prefix of all blob keys of uploads. */
export const blobKeyMark = mark;

/** The id of the upload that a blob key belongs to. */
export function idOfKey(key: string): string {
  return key.slice(mark.length).split("_", 1)[0] ?? "";
}
