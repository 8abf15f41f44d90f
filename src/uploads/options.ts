import type { Principal } from "../auth/verifier.js";
import type { UploadStore } from "../storage/uploads.js";
import type { FileCheck } from "./checks/fileCheck.js";
import type { FormRules } from "./forms/formRules.js";
import type { MultipartLimits } from "./multipart/multipartLimits.js";
import type { StoredFile } from "./records/upload.js";

/** Who may read a file at its address: its owner and whoever has a signed address, or everybody. */
export type Visibility = (typeof visibilities)[number];

export const visibilities = ["private", "public"] as const;

/** A file that was checked and is there to be read. */
export interface ReadyFile extends StoredFile {
  readonly id: string;
  readonly tenant: string | undefined;
  /** Id of the principal who sent it. */
  readonly owner: string;
  readonly filename: string;
  /** Where it came in a form: the name of that, and of the field. */
  readonly form?: string | undefined;
  readonly field?: string | undefined;
  readonly visibility: Visibility;
  /** What the client said of it besides its name and type, by the keys of `Upload-Metadata`. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** What a form may have. What is not told is as for other files. */
export interface FormOptions extends FormRules {
  /** Media types that are taken, such as `image/png`; `"any"` takes everything. */
  readonly types: readonly string[] | "any";
  /** What looks into files besides, in place of the `checks` of `uploads`. */
  readonly checks?: readonly FileCheck[] | undefined;
  /** Limits that differ from the usual ones of forms. */
  readonly limits?: { readonly [name in keyof MultipartLimits]?: number | undefined } | undefined;
  readonly visibility?: Visibility | undefined;
}

/** How files come in. They need `blobs`, and a storage that keeps records of uploads. */
export interface UploadOptions {
  /** Media types that are taken, such as `image/png`; `"any"` takes everything. */
  readonly types: readonly string[] | "any";
  /** What looks into files besides, in this order: `pixelCheck()`, `zipCheck()`, `clamdCheck(…)`. */
  readonly checks?: readonly FileCheck[] | undefined;
  /** How long one check may take, in milliseconds (10,000). */
  readonly checkMs?: number | undefined;
  /** Largest file of a resumable or presigned upload, in bytes (5 GiB) → 413. */
  readonly maximumBytes?: number | undefined;
  /** Largest file that is sent as one body, in bytes (no limit) → 413. */
  readonly plainBytes?: number | undefined;
  /** How long an address is good for to which a file can be sent without credentials, in seconds, where the client asks for no other time (900; at most a week). */
  readonly presignSeconds?: number | undefined;
  /** How long an upload may go without a byte before it is given up, in milliseconds (24 hours). */
  readonly expiresMs?: number | undefined;
  /** Uploads of one principal that may be unfinished (1,000), of callers without credentials those of one address → 413. */
  readonly mostOpen?: number | undefined;
  /** What the files of a principal may take up, in bytes (no limit) → 413. */
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
  /** Where records are kept (default: beside the rows). */
  readonly store?: UploadStore | undefined;
}
