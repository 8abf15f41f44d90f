import type {
  Call,
  Collection,
  CountedRows,
  CountOptions,
  GroupQuery,
  InsertCall,
  InsertManyOptions,
  IterateOptions,
  NewRow,
  Row,
  RowPatch,
  RowUpdate,
  TotalQuery,
} from "../../ground/storage/collection.js";
import { type RemoveCall, RowsOver, type UpdateCall } from "../../ground/storage/completed/rowsOver.js";
import type { Filter } from "../../ground/storage/filter.js";
import type { Outcome } from "../../ground/storage/outcome.js";
import type { Query } from "../../ground/storage/query.js";
import type { Id } from "../../ground/storage/values/scalar.js";
import { errorType, type Recording } from "./recording.js";
import { type BeginCall, type ObserveCall, observeCalls } from "./storeObserver.js";

/** The rows of a collection, each call within a span. */
export class ObservedRows extends RowsOver {
  readonly #begin: BeginCall;
  readonly #observe: ObserveCall;

  constructor(rows: Required<Collection>, begin: BeginCall) {
    super(rows);
    this.#begin = begin;
    this.#observe = observeCalls(begin);
  }

  override find(query: Query, call: Call): Promise<Row[]> {
    return this.#observe("find", () => this.rows.find(query, call));
  }

  override get(id: Id, call: Call): Promise<Row | undefined> {
    return this.#observe("get", () => this.rows.get(id, call));
  }

  override count(filter: Filter | undefined, call: Call & CountOptions): Promise<number> {
    return this.#observe("count", () => this.rows.count(filter, call));
  }

  override findAndCount(query: Query, total: TotalQuery, call: Call): Promise<CountedRows> {
    return this.#observe("findAndCount", () => this.rows.findAndCount(query, total, call));
  }

  override getMany(ids: readonly Id[], call: Call): Promise<Row[]> {
    return this.#observe("getMany", () => this.rows.getMany(ids, call));
  }

  override findGroups(query: GroupQuery, call: Call): Promise<Row[]> {
    return this.#observe("findGroups", () => this.rows.findGroups(query, call));
  }

  override insert(row: NewRow, call: InsertCall): Promise<Outcome<Row>> {
    return this.#observe("insert", () => this.rows.insert(row, call));
  }

  override insertMany(rows: readonly NewRow[], call: Call & InsertManyOptions): Promise<Outcome<Row>[]> {
    return this.#observe("insertMany", () => this.rows.insertMany(rows, call));
  }

  override update(id: Id, patch: RowPatch, call: UpdateCall): Promise<Outcome<Row>> {
    return this.#observe("update", () => this.rows.update(id, patch, call));
  }

  override updateEach(updates: readonly RowUpdate[], call: Call): Promise<Outcome<Row>[]> {
    return this.#observe("updateEach", () => this.rows.updateEach(updates, call));
  }

  override updateMany(filter: Filter | undefined, patch: RowPatch, call: Call): Promise<number> {
    return this.#observe("updateMany", () => this.rows.updateMany(filter, patch, call));
  }

  override remove(id: Id, call: RemoveCall): Promise<Outcome<Row>> {
    return this.#observe("remove", () => this.rows.remove(id, call));
  }

  override isSameVersion(...request: Parameters<RowsOver["isSameVersion"]>): Promise<boolean> {
    return this.#observe("isSameVersion", () => this.rows.isSameVersion(...request));
  }

  override removeMany(filter: Filter | undefined, call: Call): Promise<number> {
    return this.#observe("removeMany", () => this.rows.removeMany(filter, call));
  }

  override iterate(query: Query, call: Call & IterateOptions): AsyncIterable<Row[]> {
    return {
      [Symbol.asyncIterator]: () =>
        observedBatches(
          () => this.rows.iterate(query, call),
          () => this.#begin("iterate"),
        ),
    };
  }
}

/** One span for all batches, from the first that is read until the reader stops. */
async function* observedBatches(iterate: () => AsyncIterable<Row[]>, begin: () => Recording | undefined): AsyncGenerator<Row[], void, void> {
  const recording = begin();
  if (recording === undefined) return yield* iterate();
  const source = iterate()[Symbol.asyncIterator]();
  let isDone = false;
  try {
    for (;;) {
      const batch = await recording.run(() => source.next());
      if (batch.done === true) {
        isDone = true;
        return;
      }
      yield batch.value;
    }
  } catch (error) {
    isDone = true;
    recording.fail(errorType(error), error);
    throw error;
  } finally {
    if (!isDone) await source.return?.();
    recording.end();
  }
}
