import type { UploadChanges } from "../../../ground/storage/files/uploads.js";
import type { Rejection } from "../../../parts/checks/fileCheck.js";
import { isPartial, type StoredFile, type StoredProblem, type Upload, type UploadData } from "../records/upload.js";

/**
 * The final states of an upload. It is `processing` after all of its bytes have arrived; then one event leads to one state:
 *
 * | event | next state | record | after the record |
 * |---|---|---|---|
 * | accepted: all checks passed | ready | has the file | onReady is called |
 * | rejected: a check rejects the file | rejected | has the problem, for a week | the blobs are removed |
 * | missing: the bytes were removed | gone | stays for a week | the blobs are removed |
 * | ended: deleted, expired, or its request died without a response | gone | stays for a week | the blobs are removed |
 * | deferred: a check decides later | retry | still `processing`, due in a minute | nothing |
 * | unavailable: a check could not run | retry | still `processing`, due in a minute | nothing |
 *
 * In a form with several files the state of the first file decides the state of the others: see {@link eventOfFollower}.
 */
export type FinishEvent =
  | { readonly type: "accepted"; readonly file: StoredFile }
  | { readonly type: "rejected"; readonly problem: StoredProblem }
  | { readonly type: "missing" }
  | { readonly type: "ended" }
  | { readonly type: "deferred"; readonly isAnswered?: boolean }
  | { readonly type: "unavailable"; readonly rejection: Rejection };

/** The result of an event. */
export interface Transition {
  readonly to: "ready" | "rejected" | "gone" | "retry";
  readonly changes: RecordChanges;
  /** Effect that runs after the changes are recorded. */
  readonly effect: "announce" | "removeBlobs" | undefined;
}

/** Changes of a record; other members of its data stay the same. */
export type RecordChanges = Omit<UploadChanges, "data"> & { readonly data?: Partial<UploadData> };

/** The current time, and how long unfinished uploads are kept, in milliseconds. */
export interface Times {
  readonly nowMs: number;
  readonly expiresMs: number;
}

/** How long the record of a rejected or ended upload is kept. */
const tombstoneMs = 7 * 24 * 3_600_000;
const retryMs = 60_000;

/** The table of transitions, without side effects. */
export function transition(upload: Upload, event: FinishEvent, { nowMs, expiresMs }: Times): Transition {
  const tombstone = { isOpen: false, bytes: 0, dueAt: new Date(nowMs + tombstoneMs) };
  switch (event.type) {
    case "accepted": {
      const { file } = event;
      // A partial upload is kept until it is concatenated or expires.
      const isPiece = isPartial(upload);
      const dueAt = isPiece ? new Date(nowMs + expiresMs) : undefined;
      const length = upload.data.length ?? file.size;
      const data: Partial<UploadData> = { status: "ready", file, length, draft: undefined, isWaiting: undefined };
      return { to: "ready", effect: "announce", changes: { isOpen: isPiece, bytes: file.size, dueAt, data } };
    }
    case "rejected": {
      const { code, status, detail, extensions } = event.problem;
      const nothing = { draft: undefined, file: undefined, isWaiting: undefined };
      const data = { ...nothing, status: "rejected", problem: { code, status, detail, extensions } } as const;
      return { to: "rejected", effect: "removeBlobs", changes: { ...tombstone, data } };
    }
    case "missing":
    case "ended": {
      // The holder is removed, so that a request that still holds the lock loses it.
      const nothing = { draft: undefined, file: undefined, isWaiting: undefined };
      const data = { ...nothing, status: "gone", holder: undefined, isWanted: undefined } as const;
      return { to: "gone", effect: "removeBlobs", changes: { ...tombstone, data } };
    }
    case "deferred":
    case "unavailable": {
      const isAnswered = event.type === "deferred" && event.isAnswered === true;
      const data: Partial<UploadData> = { ...(upload.data.together && { isWaiting: true }), ...(isAnswered && { isAcknowledged: true }) };
      return { to: "retry", effect: undefined, changes: { dueAt: new Date(nowMs + retryMs), data } };
    }
  }
}

/** The event for another file of a form, from the state of the first file; `undefined` while a process is finishing the first. */
export function eventOfFollower({ data }: Upload, first: Upload | undefined): FinishEvent | undefined {
  if (first?.data.status === "ready" && data.file !== undefined) return { type: "accepted", file: data.file };
  if (first?.data.problem !== undefined) return { type: "rejected", problem: first.data.problem };
  if (first?.data.status !== "processing") return { type: "ended" };
  return first.data.isWaiting === true ? { type: "deferred" } : undefined;
}
