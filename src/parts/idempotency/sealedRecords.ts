import { type SecretBox, secretBoxOf } from "../../ground/secrets/secretBox.js";
import type { Secrets } from "../../ground/secrets/secrets.js";
import type { IdempotencyStore } from "../../ground/storage/idempotency.js";

/** The same records, sealed with the secrets of a service. */
export function sealAnswers(store: IdempotencyStore, secrets: Secrets): IdempotencyStore {
  return sealedRecords(store, secretBoxOf(secrets));
}

/** The same records with sealed responses, for responses that contain a secret. The context of a seal is the id of the record. */
export function sealedRecords(store: IdempotencyStore, box: SecretBox): IdempotencyStore {
  return {
    async begin(id, request) {
      const begun = await store.begin(id, request);
      // The response of another request need not be opened; it is refused because of its fingerprint.
      if (begun.kind !== "done" || begun.fingerprint !== request.fingerprint) return begun;
      const opened = await box.open(Buffer.from(begun.response).toString(), id);
      return { ...begun, response: Buffer.from(opened, "base64") };
    },
    async complete(id, operationId, attempt, response) {
      const sealed = await box.seal(Buffer.from(response).toString("base64"), id);
      return store.complete(id, operationId, attempt, Buffer.from(sealed));
    },
    abandon: (id, operationId, attempt) => store.abandon(id, operationId, attempt),
    ...(store.unbegin && { unbegin: store.unbegin.bind(store) }),
    ...(store.renew && { renew: store.renew.bind(store) }),
    ...(store.storedBytes && { storedBytes: store.storedBytes.bind(store) }),
  };
}
