import { recordId } from "../idempotency/fingerprint.js";
import type { Context } from "../operation/context.js";
import type { ImportFile } from "./importFile.js";

const dayMs = 24 * 3_600_000;

/**
 * Remembers that a file was sent for a collection, for a day.
 *
 * @returns id of the import that the same principal sent the same file with before; nothing under an Idempotency-Key, which says what is meant
 */
export async function rememberFile(
  { environment, principal, keyId }: Context,
  collection: string,
  { sha256 }: ImportFile,
  jobId: string,
): Promise<string | undefined> {
  const { idempotency, logger } = environment;
  if (idempotency === undefined || keyId !== undefined) return undefined;
  const id = recordId(principal.tenant, principal.id, `file ${collection} ${sha256}`);
  try {
    const begun = await idempotency.store.begin(id, { fingerprint: "file", operationId: jobId, leaseMs: dayMs, ttlMs: dayMs });
    if (begun.kind === "done") return Buffer.from(begun.response).toString();
    if (begun.kind === "acquired") await idempotency.store.complete(id, jobId, 1, Buffer.from(jobId));
  } catch (error) {
    // It is a warning: no import waits for it.
    logger.warn({ err: error }, "Whether a file was imported before could not be looked up.");
  }
  return undefined;
}
