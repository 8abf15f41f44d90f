import type { Id } from "../../../ground/storage/values/scalar.js";
import type { RowIds } from "../../../parts/idempotency/storedResponse.js";
import type { Scopes } from "./scopes.js";

/** A record of an Idempotency-Key with more ids than this would be larger than most answers. */
const maxIds = 10_000;

/** The rows that an answer shows, of collections with a scope. Kept with the answer, so that the scope can be asked again before a replay. */
export class ShownRows {
  readonly #scopes: Scopes;
  readonly #ids = new Map<string, Set<string | number>>();
  #size = 0;

  constructor(scopes: Scopes) {
    this.#scopes = scopes;
  }

  add(collection: string, id: Id): void {
    if (!this.#scopes.has(collection)) return;
    const ids = this.#ids.get(collection) ?? new Set();
    this.#ids.set(collection, ids.add(typeof id === "bigint" ? String(id) : id));
    this.#size += 1;
  }

  addAll(rows: RowIds): void {
    for (const [collection, ids] of rows) for (const id of ids) this.add(collection, id);
  }

  /** Adds what a part of the answer shows. */
  merge(part: ShownRows): void {
    for (const [collection, ids] of part.#ids) for (const id of ids) this.add(collection, id);
  }

  /** Forgets all, because the answer is made again. */
  clear(): void {
    this.#ids.clear();
    this.#size = 0;
  }

  /** `undefined` if there are too many. */
  get ids(): RowIds | undefined {
    return this.#size > maxIds ? undefined : [...this.#ids].map(([collection, ids]) => [collection, [...ids]]);
  }
}
