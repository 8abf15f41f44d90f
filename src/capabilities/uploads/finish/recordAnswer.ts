import type { Context } from "../../../engine/operation/context.js";
import { commit } from "../../../engine/operation/write/commit.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import { Retryable } from "../../../ground/storage/errors.js";
import type { UploadSettings } from "../records/settings.js";
import type { Upload } from "../records/upload.js";
import { type Recorded, record } from "./record.js";
import type { RecordChanges } from "./states.js";

/** The changes of one record. */
export interface RecordStep {
  readonly upload: Upload;
  readonly changes: RecordChanges;
}

/** The recorded steps, in their order, and the response. Recording stops after the first upload whose status differs from that of its step. */
export interface RecordedAnswer {
  readonly recorded: readonly Recorded[];
  readonly response: HttpResponse;
}

/**
 * Records the finished uploads of a request. If the request has `joins`, and the upload records are in the same storage, both are written in one transaction: a
 * retry with the same idempotency key finds both the files and their response, or neither.
 *
 * @param answer may be called again when the transaction is retried; if it throws, the transaction is rolled back
 */
export async function recordAnswer(
  settings: UploadSettings,
  { environment, joins }: Pick<Context, "environment" | "joins">,
  steps: readonly RecordStep[],
  answer: (recorded: readonly Recorded[]) => HttpResponse,
): Promise<RecordedAnswer> {
  // A separate store cannot take part in a transaction of the storage.
  const isOwnStore = settings.store !== environment.storage.uploads;
  return commit({ environment, joins: isOwnStore ? [] : joins }, async (tx) => {
    if (tx !== undefined && tx.uploads === undefined) throw new Error("The storage keeps records of uploads, but its transactions do not.");
    const recorded = await recordAll({ store: tx?.uploads ?? settings.store }, steps);
    return { recorded, response: answer(recorded) };
  });
}

/** Records steps one after the other, without a response. */
export async function recordAll(settings: Pick<UploadSettings, "store">, steps: readonly RecordStep[]): Promise<readonly Recorded[]> {
  const recorded: Recorded[] = [];
  for (const { upload, changes } of steps) {
    const each = await record(settings, upload, changes);
    recorded.push(each);
    // The first file of a form decides about the others.
    if (changes.data?.status !== undefined && each.upload.data.status !== changes.data.status) break;
  }
  return recorded;
}

/** Whether an error guarantees that nothing was recorded: the transaction had conflicts in all attempts and was rolled back. */
export function wasRolledBack(error: unknown): boolean {
  return error instanceof Retryable;
}
