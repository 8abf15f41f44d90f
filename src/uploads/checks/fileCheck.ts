import type { ProblemCode } from "../../problem/index.js";
import type { ByteRange } from "../../storage/blobs.js";

/** A file as a check sees it. */
export interface CheckInput {
  /** As it may be shown; never a path. */
  readonly filename: string;
  /** What is behind the last dot of the name, in lower case and without the dot; `""` where there is none. */
  readonly extension: string;
  /** What the client says the file is: `type/subtype` in lower case, without parameters; `undefined` where it says nothing. */
  readonly declaredType: string | undefined;
  /** What the first bytes say it is: see {@link detectType}. */
  readonly detectedType: string | undefined;
  /** The first 64 KiB, or all where there are fewer. */
  readonly head: Uint8Array;
  /** In bytes; `undefined` where it is not known yet. */
  readonly size: number | undefined;
  /** The bytes, or those of a range, each time anew. */
  read(range?: ByteRange): AsyncIterable<Uint8Array>;
  /**
   * All bytes in one array, which nobody may change.
   *
   * @throws {ProblemError} FILE_TOO_LARGE where there are more than `limitBytes`
   */
  readAll(limitBytes: number): Promise<Uint8Array>;
  /** Aborted when the time of the check is over, or nobody waits for it any more. */
  readonly signal: AbortSignal;
}

/** Why a file is not taken; it becomes a problem of this code. */
export interface Rejection {
  readonly verdict: "reject";
  /** Of the answer: 413 too large, 415 another type, 422 what is in it, 503 nobody could look into it. */
  readonly status: 413 | 415 | 422 | 503;
  readonly code: ProblemCode;
  /** A sentence for the client. */
  readonly detail: string;
  /** Further members of the problem, e.g. `signature`. */
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
  /** For the log. */
  readonly cause?: unknown;
}

/** The file is as it should be; here are the bytes to keep in its place; it is judged later, by somebody else; or it is not taken. */
export type Verdict =
  | { readonly verdict: "pass" }
  | { readonly verdict: "replace"; readonly bytes: Uint8Array }
  | { readonly verdict: "defer" }
  | Rejection;

/** Something that judges files. */
export interface FileCheck {
  /** For messages: `macros`, `clamd`. */
  readonly name: string;
  /** What it looks at: `head` the first 64 KiB only, `stream` the bytes once from the beginning, `file` all of them at once. */
  readonly needs: "head" | "stream" | "file";
  /** Whether it gives other bytes back; such checks come last. */
  readonly rewrites?: boolean | undefined;
  /** What it throws counts as no answer, and the file is not taken. */
  run(input: CheckInput): Promise<Verdict>;
}

/** The verdict on a file that is as it should be. */
export const pass: Verdict = { verdict: "pass" };
