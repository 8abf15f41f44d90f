import type { IdempotencyStore } from "../storage/idempotency.js";

/** Keeps texts so that a copy of the records does not tell them. */
export interface RecordSeal {
  /** @param context id of the record */
  seal(text: string, context: string): string | Promise<string>;
  open(sealed: string, context: string): string | Promise<string>;
}

/** The same records, whose answers are sealed: for answers that hold a secret. */
export function sealedRecords(store: IdempotencyStore, box: RecordSeal): IdempotencyStore {
  return {
    async begin(id, request) {
      const begun = await store.begin(id, request);
      // The answer to another request need not be sealed; it is refused for its fingerprint.
      if (begun.kind !== "done" || begun.fingerprint !== request.fingerprint) return begun;
      const opened = await box.open(Buffer.from(begun.response).toString(), id);
      return { ...begun, response: Buffer.from(opened, "base64") };
    },
    async complete(id, operationId, attempt, response) {
      const sealed = await box.seal(Buffer.from(response).toString("base64"), id);
      return store.complete(id, operationId, attempt, Buffer.from(sealed));
    },
    abandon: (id, operationId, attempt) => store.abandon(id, operationId, attempt),
    ...(store.renew && { renew: store.renew.bind(store) }),
  };
}
