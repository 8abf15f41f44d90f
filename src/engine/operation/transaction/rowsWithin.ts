import type { Call, Collection, InsertManyOptions, NewRow, Row, RowPatch, RowUpdate } from "../../../ground/storage/collection.js";
import { complete } from "../../../ground/storage/completed/complete.js";
import { type RemoveCall, RowsOver, type UpdateCall } from "../../../ground/storage/completed/rowsOver.js";
import type { Filter } from "../../../ground/storage/filter.js";
import type { CollectionModel } from "../../../ground/storage/model.js";
import type { Outcome } from "../../../ground/storage/outcome.js";
import type { Storage } from "../../../ground/storage/storage.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import { hasConcurrentWriters, noteWritten } from "./seenVersions.js";

/** The rows of a collection in a transaction. */
export function rowsWithin(tx: Storage, model: CollectionModel): Required<Collection> {
  const rows = complete(tx.collection(model), model.id);
  return hasConcurrentWriters(tx) ? new NotedRows(rows, tx, model.name) : rows;
}

/** Notes what the transaction writes. New rows need no note: nobody has seen them before. */
class NotedRows extends RowsOver {
  readonly #tx: Storage;
  readonly #collection: string;

  constructor(rows: Required<Collection>, tx: Storage, collection: string) {
    super(rows);
    this.#tx = tx;
    this.#collection = collection;
  }

  override async update(id: Id, patch: RowPatch, call: UpdateCall): Promise<Outcome<Row>> {
    const outcome = await this.rows.update(id, patch, call);
    if (outcome.ok) this.#note(call, id);
    return outcome;
  }

  override async updateEach(updates: readonly RowUpdate[], call: Call): Promise<Outcome<Row>[]> {
    const outcomes = await this.rows.updateEach(updates, call);
    for (const [index, { id }] of updates.entries()) if (outcomes[index]?.ok) this.#note(call, id);
    return outcomes;
  }

  override async remove(id: Id, call: RemoveCall): Promise<Outcome<Row>> {
    const outcome = await this.rows.remove(id, call);
    if (outcome.ok) this.#note(call, id);
    return outcome;
  }

  override async insertMany(rows: readonly NewRow[], call: Call & InsertManyOptions): Promise<Outcome<Row>[]> {
    const outcomes = await this.rows.insertMany(rows, call);
    // A merge writes rows that were there.
    if (typeof call.onConflict === "object") this.#note(call, undefined);
    return outcomes;
  }

  override async updateMany(filter: Filter | undefined, patch: RowPatch, call: Call): Promise<number> {
    const count = await this.rows.updateMany(filter, patch, call);
    if (count > 0) this.#note(call, undefined);
    return count;
  }

  override async removeMany(filter: Filter | undefined, call: Call): Promise<number> {
    const count = await this.rows.removeMany(filter, call);
    if (count > 0) this.#note(call, undefined);
    return count;
  }

  #note({ tenant }: Call, id: Id | undefined): void {
    noteWritten(this.#tx, { collection: this.#collection, tenant }, id);
  }
}
