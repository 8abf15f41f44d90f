import assert from "node:assert/strict";
import type { Call, Collection, NewRow, Row } from "../../ground/storage/collection.js";
import type { CollectionModel } from "../../ground/storage/model.js";
import type { Storage, TransactionOptions } from "../../ground/storage/storage.js";
import type { RowValues } from "../../ground/storage/values/rowValues.js";
import { FakeClock } from "../clock.js";
import { writtenRow } from "./assertions.js";
import { completeWrites } from "./completeWrites.js";
import { itemModel } from "./model.js";

/** The collection of one scenario, with helpers to write rows. */
export interface Items {
  readonly model: CollectionModel;
  readonly rows: Required<Collection>;
  /** The same collection in another storage, such as a transaction or a reopened store. */
  in(storage: Storage): Required<Collection>;
  /** A row with a new version and update time. */
  row(values: RowValues): NewRow;
  /** What is expected of a row that was written with these values: all of them, without the version if the store makes versions of its own. */
  expected(values: RowValues): RowValues;
  /** Inserts a row; fails if the insert does not succeed. */
  add(values: RowValues, call?: Call): Promise<Row>;
  /** Inserts rows one after the other. */
  addAll(values: readonly RowValues[], call?: Call): Promise<void>;
}

/** Opens a second store of the same engine, closes it and opens its data again. */
export interface Reopening {
  open(): Promise<Storage>;
  reopen(storage: Storage): Promise<Storage>;
}

/** The fixture of all scenarios: one store, and a new collection for each scenario. Deterministic, except for the scheduling of the engine. */
export class Stage {
  readonly storage: Storage;
  readonly reopening: Reopening | undefined;
  readonly #clock = new FakeClock();
  readonly #prepared = new Map<string, Promise<Items>>();
  #collections = 0;
  #writes = 0;

  constructor(storage: Storage, reopening: Reopening | undefined) {
    this.storage = storage;
    this.reopening = reopening;
  }

  /** A new, empty, migrated collection. */
  async open(change: Partial<CollectionModel> = {}, storage = this.storage): Promise<Items> {
    const model = this.model(change);
    await storage.migrate?.([model]);
    return this.items(model, storage);
  }

  /** A model with a unique name. */
  model(change: Partial<CollectionModel> = {}): CollectionModel {
    this.#collections += 1;
    return { ...itemModel, name: `contract${this.#collections}`, ...change };
  }

  items(model: CollectionModel, storage = this.storage): Items {
    const inStorage = (other: Storage) => completeWrites(other.collection(model), model.id);
    const rows = inStorage(storage);
    const row = (values: RowValues): NewRow => ({ ...values, ...this.stamp() });
    const add = async (values: RowValues, call: Call = {}) => writtenRow(await rows.insert(row(values), call));
    const addAll = async (all: readonly RowValues[], call: Call = {}) => {
      for (const values of all) await add(values, call);
    };
    const expected = ({ _version, ...others }: RowValues): RowValues => (rows.can.mapped ? others : { ...others, _version });
    return { model, rows, in: inStorage, row, expected, add, addAll };
  }

  /** A collection with fixed rows that several scenarios share and only read. */
  prepared(name: string, prepare: () => Promise<Items>): Promise<Items> {
    const known = this.#prepared.get(name);
    if (known !== undefined) return known;
    const items = prepare();
    this.#prepared.set(name, items);
    return items;
  }

  /** The version and update time of a write. */
  stamp(): { readonly _version: string; readonly _updatedAt: Date } {
    this.#writes += 1;
    this.#clock.advance(1);
    return { _version: `v${String(this.#writes).padStart(8, "0")}`, _updatedAt: new Date(this.#clock.now()) };
  }

  /** Runs `run` in a transaction of the store. */
  transaction<R>(run: (tx: Storage) => Promise<R>, storage = this.storage, options?: TransactionOptions): Promise<R> {
    assert.ok(storage.transaction !== undefined, `${storage.name} has no transaction()`);
    return storage.transaction(run, options);
  }
}
