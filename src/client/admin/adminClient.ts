import type { BatchOptions } from "../calls/batch.js";
import type { ResourceCalls } from "../collection.js";
import type { BatchAnswer } from "../types/batch.js";

/** A client of `createClient`, of any service. */
export interface AdminClient {
  collection(name: never): unknown;
  batch(): unknown;
}

/** The calls of a collection by its name. */
export function callsOf(client: AdminClient, collection: string): ResourceCalls {
  return (client as { collection(name: string): unknown }).collection(collection) as ResourceCalls;
}

type Recorder = Readonly<Record<string, Readonly<Record<string, (...given: readonly unknown[]) => unknown>>>>;

/** As many operations as a batch may have by default. */
const maxOperations = 100;

/**
 * Makes one call a row: of each 100 rows all or none, by a batch, or each by itself.
 *
 * @param given the arguments of each call
 * @throws {ApiError} the first one that did not follow from another
 * @throws {TypeError} if the service has no batches
 */
export async function callEach(
  client: AdminClient,
  { collection, method, isAtomic }: { readonly collection: string; readonly method: "create" | "update" | "remove"; readonly isAtomic: boolean },
  given: readonly (readonly unknown[])[],
  options: BatchOptions,
): Promise<unknown[]> {
  const answers: unknown[] = [];
  if (!isAtomic) {
    const call = callsOf(client, collection)[method] as (...given: readonly unknown[]) => Promise<unknown>;
    for (const each of given) answers.push(await call(...each, options));
    return answers;
  }
  for (let from = 0; from < given.length; from += maxOperations) {
    const batch = client.batch() as Recorder & { send(options: BatchOptions): Promise<BatchAnswer> };
    for (const each of given.slice(from, from + maxOperations)) batch[collection]?.[method]?.(...each);
    const { results } = await batch.send({ mode: "strict", ...options }).catch(nameBatches);
    const errors = results.flatMap((result) => (result.ok ? [] : result.error));
    if (errors.length > 0) throw errors.find(({ code }) => code !== "ROLLED_BACK") ?? errors[0];
    answers.push(...results.map((result) => (result.ok ? result.data : undefined)));
  }
  return answers;
}

/** A service without `batch()` has no such path. */
function nameBatches(error: unknown): never {
  if ((error as { readonly status?: unknown }).status !== 404) throw error;
  throw new TypeError("Writes of several rows are sent to /batch, which the service does not have: add batch(), or set { atomic: false }.", {
    cause: error,
  });
}
