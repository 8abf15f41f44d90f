import { recordId } from "../idempotency/fingerprint.js";
import type { Context } from "../operation/context.js";
import type { Resource } from "../resource/resource.js";
import { toBodyValue } from "../resource/rowValues.js";
import type { Id } from "../storage/scalar.js";
import { readItemId } from "./readItemId.js";

const fingerprint = "rows";
/** A try that died before it found the rows has no claim on them. */
const leaseMs = 1;
const rounds = 5;

/** Ids that a try of a keyed batch has found, or the place to keep them. */
type Remembered = { readonly ids: readonly Id[] } | { keep(ids: readonly Id[]): Promise<void>; forget(): Promise<void> };

/**
 * The rows of a batch by filter under an Idempotency-Key: what an earlier try has changed may match no more, so a batch that is begun again takes its rows
 * from what that one found.
 *
 * @param find throws, or answers nothing, where the batch ends before it is begun
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
    const begun = await store.begin(id, { fingerprint, operationId, leaseMs, ttlMs });
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
