import type { ProblemCode } from "../../ground/problem/index.js";
import type { ByteRange } from "../../ground/storage/files/blobs.js";

/** A file as a check sees it. */
export interface CheckInput {
  /** A display name; never a path. */
  readonly filename: string;
  /** The extension of the name, in lower case and without the dot; `""` if there is none. */
  readonly extension: string;
  /** The type that the client declares: `type/subtype` in lower case, without parameters; `undefined` if it declares none. */
  readonly declaredType: string | undefined;
  /** The type by its first bytes: see {@link detectType}. */
  readonly detectedType: string | undefined;
  /** The first 64 KiB, or all bytes of a shorter file. */
  readonly head: Uint8Array;
  /** In bytes; `undefined` while unknown. */
  readonly size: number | undefined;
  /** The bytes, or those of a range; each call reads them again. */
  read(range?: ByteRange): AsyncIterable<Uint8Array>;
  /**
   * All bytes in one array, which must not be changed.
   *
   * @throws {ProblemError} FILE_TOO_LARGE if there are more than `limitBytes`
   */
  readAll(limitBytes: number): Promise<Uint8Array>;
  /** Aborted when the check times out or its result is no longer needed. */
  readonly signal: AbortSignal;
}

/** Why a file is rejected; it becomes a problem with this code. */
export interface Rejection {
  readonly verdict: "reject";
  /** Of the response: 413 too large, 415 wrong type, 422 forbidden content, 503 the check is not available. */
  readonly status: 413 | 415 | 422 | 503;
  readonly code: ProblemCode;
  /** A sentence for the client. */
  readonly detail: string;
  /** Further members of the problem, e.g. `signature`. */
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
  /** For the log. */
  readonly cause?: unknown;
}

/** The file is accepted; replaced with other bytes; accepted until a later decision; or rejected. */
export type Verdict =
  | { readonly verdict: "pass" }
  | { readonly verdict: "replace"; readonly bytes: Uint8Array }
  | { readonly verdict: "defer" }
  | Rejection;

/** A check of files. */
export interface FileCheck {
  /** For messages: `macros`, `clamd`. */
  readonly name: string;
  /** What it reads: `head` the first 64 KiB, `stream` the bytes once from the beginning, `file` all of them at once. */
  readonly needs: "head" | "stream" | "file";
  /** Whether it may replace the bytes; such checks run last. */
  readonly rewrites?: boolean | undefined;
  /** If it throws, the file is rejected. */
  run(input: CheckInput): Promise<Verdict>;
}

/** The verdict that accepts a file. */
export const pass: Verdict = { verdict: "pass" };
