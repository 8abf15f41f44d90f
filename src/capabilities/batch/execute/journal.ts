import type { Context } from "../../../engine/operation/context.js";
import type { Storage } from "../../../ground/storage/storage.js";
import { ownerId, recordId } from "../../../parts/idempotency/fingerprint.js";
import type { ItemResult } from "./results/result.js";
import type { SliceJournal } from "./slices.js";

const fingerprint = "slice";

/**
 * The journal of a best-effort batch under an Idempotency-Key: one record for each slice, committed with its rows. A later attempt, after the first
 * process died, reads the results of those slices from it.
 *
 * @returns `undefined` if records cannot commit with rows
 */
export function sliceJournal(context: Context): SliceJournal | undefined {
  const { environment, operationId, principal } = context;
  const { idempotency } = environment;
  if (operationId === undefined || idempotency === undefined || !idempotency.sharesTransactions) return undefined;
  const { leaseMs, ttlMs } = idempotency;
  const nameOf = (first: number) => ({
    id: recordId(principal.tenant, principal.id, `slice ${operationId} ${first}`),
    operation: `${operationId}/${first}`,
  });
  return {
    async recall(tx, first) {
      const { id, operation } = nameOf(first);
      const begun = await recordsOf(tx).begin(id, {
        fingerprint,
        operationId: operation,
        leaseMs,
        ttlMs,
        owner: ownerId(principal.tenant, principal.id),
      });
      return begun.kind === "done" ? (JSON.parse(Buffer.from(begun.response).toString()) as ItemResult[]) : undefined;
    },
    async keep(tx, first, results) {
      if (tx === undefined) return;
      const { id, operation } = nameOf(first);
      const kept = await recordsOf(tx).complete(id, operation, 1, Buffer.from(JSON.stringify(results)));
      if (!kept) throw new Error("Another attempt at the same batch came first.");
    },
  };
}

function recordsOf({ idempotency }: Storage) {
  if (idempotency === undefined) throw new Error("The storage keeps records, but its transactions do not.");
  return idempotency;
}
