import type { Principal } from "../auth/verifier.js";
import type { UploadStore } from "../storage/uploads.js";
import type { FileCheck } from "./checks/fileCheck.js";
import type { FormRules } from "./forms/formRules.js";
import type { MultipartLimits } from "./multipart/multipartLimits.js";
import type { StoredFile } from "./records/upload.js";

/** Who may read a file at its address: its owner and whoever has a signed address, or everybody. */
export type Visibility = (typeof visibilities)[number];

/** All there are. */
export const visibilities = ["private", "public"] as const;

/** A file that was checked and is there to be read. */
export interface ReadyFile extends StoredFile {
  /** As in `/uploads/{id}` and `/files/{id}`. */
  readonly id: string;
  /** That of the principal who sent it. */
  readonly tenant: string | undefined;
  /** Id of the principal who sent it. */
  readonly owner: string;
  /** Safe to be kept and shown; never a path. */
  readonly filename: string;
  /** Name of the form that it came in. */
  readonly form?: string | undefined;
  /** Name of the field of the form. */
  readonly field?: string | undefined;
  /** Who may read it. */
  readonly visibility: Visibility;
  /** What the client said of it besides its name and type, by the keys of `Upload-Metadata`. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** What a form may have. What is not told is as for other files. */
export interface FormOptions extends FormRules {
  /** Media types that are taken, such as `image/png`; `"any"` takes everything. */
  readonly types: readonly string[] | "any";
  /** What looks into files besides, in place of the `checks` of `uploads`: `[]` for nothing. */
  readonly checks?: readonly FileCheck[] | undefined;
  /** Limits that differ from {@link defaultMultipartLimits}: `{ files: 1, fileBytes: 5_000_000 }`. */
  readonly limits?: { readonly [name in keyof MultipartLimits]?: number | undefined } | undefined;
  /** Who may read its files; as those of `uploads` unless given. */
  readonly visibility?: Visibility | undefined;
}

/**
 * How files come in. They need `blobs`, and a storage that keeps records of uploads.
 *
 * @example
 * createService({ resources, storage, blobs: diskBlobs({ path: "data/blobs" }), uploads: { types: ["image/png", "application/pdf"], quotaBytes: 1_000_000_000 } });
 */
export interface UploadOptions {
  /** Media types that are taken, such as `image/png`; `"any"` takes everything. */
  readonly types: readonly string[] | "any";
  /** What looks into files besides, in this order: `pixelCheck()`, `zipCheck()`, `clamdCheck(…)`. */
  readonly checks?: readonly FileCheck[] | undefined;
  /** How long one check may take, in milliseconds (10,000). */
  readonly checkMs?: number | undefined;
  /** Largest file of a resumable or presigned upload, in bytes (5 GiB) → 413. */
  readonly maximumBytes?: number | undefined;
  /** Largest file that is sent as one body, in bytes → 413. Without it there is no limit, or what the blob store can take without larger buffers (`s3Blobs`: 78 GiB). */
  readonly plainBytes?: number | undefined;
  /** How long an address is good for to which a file can be sent without credentials, in seconds, where the client asks for no other time (900; at most a week). */
  readonly presignSeconds?: number | undefined;
  /** How long an upload may go without a byte before it is given up, in milliseconds (24 hours). */
  readonly expiresMs?: number | undefined;
  /** Uploads of one principal that may be unfinished (1,000), of callers without credentials those of one address → 413. */
  readonly mostOpen?: number | undefined;
  /** What the files of a principal may take up, in bytes (no limit) → 413 QUOTA_EXCEEDED. A function is asked by each request that sends something; `undefined` and `Infinity` are no limit. */
  readonly quotaBytes?: number | ((principal: Principal) => number | undefined | Promise<number | undefined>) | undefined;
  /** Forms with files by their names: `avatars` is sent to `POST /avatars`. */
  readonly forms?: Readonly<Record<string, FormOptions>> | undefined;
  /** Who may read files (`private`). */
  readonly visibility?: Visibility | undefined;
  /** Whether an owner may delete files that are finished (default: yes). */
  readonly allowTerminateFinished?: boolean | undefined;
  /** Who may see and delete the uploads of others of its tenant (default: nobody). */
  readonly isAdmin?: ((principal: Principal) => boolean) | undefined;
  /** Hears of each file once it is ready; what it throws is logged. A process that dies in between tells nobody. */
  readonly onReady?: ((file: ReadyFile) => void | Promise<void>) | undefined;
  /** Where records are kept (default: beside the rows): `redisUploads(client)`, or a store of your own. */
  readonly store?: UploadStore | undefined;
}
