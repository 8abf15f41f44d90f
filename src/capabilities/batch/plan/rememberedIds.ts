import type { Context } from "../../../engine/operation/context.js";
import type { Resource } from "../../../engine/resource/resource.js";
import { toBodyValue } from "../../../engine/resource/write/rowValues.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import { ownerId, recordId } from "../../../parts/idempotency/fingerprint.js";
import { readItemId } from "./readItemId.js";

const fingerprint = "rows";
/** If an attempt died before it found the rows, the next attempt finds them itself. */
const leaseMs = 1;
const rounds = 5;

/** The ids that an earlier attempt of a keyed batch found, or functions to store them. */
type Remembered = { readonly ids: readonly Id[] } | { keep(ids: readonly Id[]): Promise<void>; forget(): Promise<void> };

/**
 * Finds the rows of a batch by filter under an Idempotency-Key. Rows that an earlier attempt changed may no longer match, so a later attempt uses the
 * ids that the first one stored.
 *
 * @param find throws, or returns `undefined`, if the batch ends before its execution
 */
export async function rememberIds(
  resource: Resource,
  context: Context,
  find: () => Promise<readonly Id[] | undefined>,
): Promise<readonly Id[] | undefined> {
  const remembered = await recall(resource, context);
  if (remembered === undefined) return find();
  if ("ids" in remembered) return remembered.ids;
  try {
    const ids = await find();
    await (ids === undefined ? remembered.forget() : remembered.keep(ids));
    return ids;
  } catch (error) {
    await remembered.forget();
    throw error;
  }
}

async function recall(resource: Resource, { environment, operationId, principal }: Context): Promise<Remembered | undefined> {
  const { idempotency } = environment;
  if (idempotency === undefined || operationId === undefined) return undefined;
  const { store, ttlMs } = idempotency;
  const id = recordId(principal.tenant, principal.id, `rows ${operationId}`);
  for (let round = 1; round <= rounds; round++) {
    const begun = await store.begin(id, { fingerprint, operationId, leaseMs, ttlMs, owner: ownerId(principal.tenant, principal.id) });
    if (begun.kind === "done") {
      const values = JSON.parse(Buffer.from(begun.response).toString()) as readonly unknown[];
      return { ids: await Promise.all(values.map((value) => readItemId(resource, value, ""))) };
    }
    if (begun.kind === "acquired") {
      const { attempt } = begun;
      return {
        forget: async () => void (await store.abandon(id, operationId, attempt)),
        keep: async (ids) => {
          const values = ids.map((each) => toBodyValue(resource.id, each));
          await store.complete(id, operationId, attempt, Buffer.from(JSON.stringify(values)));
        },
      };
    }
    await new Promise<void>((resolve) => environment.timers.setTimeout(resolve, begun.retryAfterMs));
  }
  return undefined;
}
