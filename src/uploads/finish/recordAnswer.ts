import type { HttpResponse } from "../../http/message.js";
import type { Context } from "../../operation/context.js";
import { retrying } from "../../operation/retry.js";
import { Retryable } from "../../storage/errors.js";
import type { UploadSettings } from "../records/settings.js";

/** What was recorded, and the answer that was made of it. */
export interface RecordedAnswer<T> {
  readonly written: T;
  readonly response: HttpResponse;
}

/**
 * The one place where a request makes files of uploads. Where something joins it, and the records stand in the storage that it stands in, both go into one
 * transaction: a retry under the same key finds the files with their answer, or neither.
 *
 * @param write with settings whose store is that of the transaction; it may be done again
 * @param answer what it throws undoes the write
 */
export async function recordAnswer<T>(
  settings: UploadSettings,
  { environment, joins }: Pick<Context, "environment" | "joins">,
  write: (settings: UploadSettings) => Promise<T>,
  answer: (written: T) => HttpResponse,
): Promise<RecordedAnswer<T>> {
  if (joins.length === 0 || settings.store !== environment.storage.uploads) {
    const written = await write(settings);
    return { written, response: answer(written) };
  }
  return retrying(
    () =>
      environment.transaction(async (tx) => {
        if (tx.uploads === undefined) throw new Error("The storage keeps records of uploads, but its transactions do not.");
        const written = await write({ ...settings, store: tx.uploads });
        const response = answer(written);
        for (const join of joins) await join(tx, response);
        return { written, response };
      }),
    environment,
  );
}

/** Whether it is certain that nothing was recorded, though the answer was there already: what has lost against others for good was undone. */
export function wasUndone(error: unknown): boolean {
  return error instanceof Retryable;
}
