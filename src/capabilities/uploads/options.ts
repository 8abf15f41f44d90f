import type { BlobStore } from "../../ground/storage/files/blobs.js";
import type { UploadStore } from "../../ground/storage/files/uploads.js";
import type { Principal } from "../../parts/auth/verifier.js";
import type { FileCheck } from "../../parts/checks/fileCheck.js";
import type { MultipartLimits } from "../../parts/multipart/multipartLimits.js";
import type { FormRules } from "./forms/formRules.js";
import type { StoredFile } from "./records/upload.js";

/** Who may read a file at its URL. `private`: its owner, or the readers of the row that holds it, and clients with a signed URL; `public`: everybody. */
export type Visibility = (typeof visibilities)[number];

/** All values of {@link Visibility}. */
export const visibilities = ["private", "public"] as const;

/**
 * What the response to a piece of a resumable upload means. `piece`: its bytes are on the disk and survive a power cut; `file`: the operating system has them, so that they
 * survive a crash of the process, and the whole file is on the disk before it is `ready`.
 */
export type Durability = (typeof durabilities)[number];

/** All values of {@link Durability}. */
export const durabilities = ["piece", "file"] as const;

/** A file that has passed all checks and can be read. */
export interface ReadyFile extends StoredFile {
  /** The id in `/uploads/{id}` and `/files/{id}`. */
  readonly id: string;
  /** Tenant of the principal who sent it. */
  readonly tenant: string | undefined;
  /** Id of the principal who sent it. */
  readonly owner: string;
  /** Sanitized file name, safe to store and display; never a path. */
  readonly filename: string;
  /** Name of the form that contained the file. */
  readonly form?: string | undefined;
  /** Name of the form field. */
  readonly field?: string | undefined;
  /** Who may read it. */
  readonly visibility: Visibility;
  /** Metadata from the client, by the keys of `Upload-Metadata`. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** Options of one form. An option that is missing defaults to that of `uploads`. */
export interface FormOptions extends FormRules {
  /** Accepted media types, such as `image/png`; `"any"` accepts all. */
  readonly types: readonly string[] | "any";
  /** Extra file checks, instead of the `checks` of `uploads`; `[]` disables them. */
  readonly checks?: readonly FileCheck[] | undefined;
  /** Overrides of {@link defaultMultipartLimits}: `{ files: 1, fileBytes: 5_000_000 }`. */
  readonly limits?: { readonly [name in keyof MultipartLimits]?: number | undefined } | undefined;
  /** Who may read its files (default: the `visibility` of `uploads`). */
  readonly visibility?: Visibility | undefined;
}

/**
 * Options of `uploads`.
 *
 * @example
 * uploads({ blobs: diskBlobs({ path: "data/blobs" }), types: ["image/png", "application/pdf"], quotaBytes: 1_000_000_000 })
 */
export interface UploadOptions {
  /** Where files are stored. The store must support drafts, as `diskBlobs`, `memoryBlobs` and `s3Blobs` do. */
  readonly blobs: BlobStore;
  /** Accepted media types, such as `image/png`; `"any"` accepts all. */
  readonly types: readonly string[] | "any";
  /** Extra file checks, run in this order: `pixelCheck()`, `zipCheck()`, `clamdCheck(…)`. */
  readonly checks?: readonly FileCheck[] | undefined;
  /** How long one check may take, in milliseconds (10,000). */
  readonly checkMs?: number | undefined;
  /** Largest file of a resumable or presigned upload, in bytes (5 GiB) → 413. */
  readonly maxBytes?: number | undefined;
  /** Largest file sent as one body, in bytes → 413. Defaults to the limit of the blob store without larger buffers (`s3Blobs`: 78 GiB), if any. */
  readonly plainBytes?: number | undefined;
  /** When the bytes of a resumable upload must be on the disk: before each piece is acknowledged (`"piece"`, the default), or only before the file is ready (`"file"`). */
  readonly durability?: Durability | undefined;
  /** How long a presigned URL is valid, in seconds, if the client does not request another time (900; at most a week). */
  readonly presignSeconds?: number | undefined;
  /** After how long without new bytes an upload expires, in milliseconds (24 hours). */
  readonly expiresMs?: number | undefined;
  /** Maximum number of unfinished uploads per principal, or per IPv4 address or IPv6 /64 network for callers without credentials (1,000) → 413. */
  readonly maxOpen?: number | undefined;
  /** Maximum total size of a principal's files, in bytes → 413 QUOTA_EXCEEDED; `Infinity` is no limit. A function is called per sending request. Defaults to no limit. */
  readonly quotaBytes?: number | ((principal: Principal) => number | undefined | Promise<number | undefined>) | undefined;
  /** Forms with files, by name: `avatars` is served at `POST /avatars`. */
  readonly forms?: Readonly<Record<string, FormOptions>> | undefined;
  /** Who may read files (default: `private`). */
  readonly visibility?: Visibility | undefined;
  /** How long caches may keep a public file, in seconds (86,400). Its bytes never change, but a deleted file can stay in caches as long; with 0 they ask each time. */
  readonly publicMaxAgeSeconds?: number | undefined;
  /** Whether an owner may delete finished files (default: `true`). */
  readonly allowTerminateFinished?: boolean | undefined;
  /** Whether a principal may read and delete all uploads of its tenant (default: `false` for all principals). */
  readonly isAdmin?: ((principal: Principal) => boolean) | undefined;
  /** Called for each file after it becomes `ready`; errors are logged. It is not called if the process dies in between. */
  readonly onReady?: ((file: ReadyFile) => void | Promise<void>) | undefined;
  /** Where upload records are stored (default: the storage of the service): `redisUploads(client)`, or your own store. */
  readonly store?: UploadStore | undefined;
}
